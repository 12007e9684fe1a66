import * as z from 'zod/mini'
import { endpoint } from '../endpoint.ts'
import { email, text } from '../fields.ts'
import { looksLikeLink } from '../person-name.ts'

/** The environment overrides what the seller saves. Keys are the names in `.env.example`. */
export const settingFields = {
  SELLER_NAME: { label: 'Name or company' },
  SELLER_STREET: { label: 'Street and number' },
  SELLER_CITY: { label: 'Postal code and city' },
  SELLER_COUNTRY: { label: 'Country' },
  SELLER_PHONE: { label: 'Phone', type: 'tel' },
  SELLER_REPRESENTATIVE: { label: 'Represented by' },
  SELLER_RESPONSIBLE: { label: 'Responsible for content' },
  SELLER_REGISTER: { label: 'Register number' },
  SELLER_REGISTER_COURT: { label: 'Register court' },
  SELLER_AUTHORITY: { label: 'Supervisory authority' },
  SELLER_VAT_ID: { label: 'VAT id' },
  SELLER_TAX_NUMBER: { label: 'Tax number' },
  SUPPORT_EMAIL: { label: 'Support address', type: 'email' },
  MAKER_NAME: { label: 'Name' },
  MAKER_SENTENCE: { label: 'In one sentence' },
  MAKER_MORE: { label: 'More about you' },
  MAKER_LINK: { label: 'Link to your TradingView profile', type: 'url' },
  SHOW_FIGURES: { label: 'Show how fast the shop is' },
  SALE_EMAILS: { label: 'Email about sales' },
  MONDAY_LETTER: { label: 'Letter on Mondays' },
  CARD_NOTICES: { label: 'Before a card expires' },
  DISCOUNT_NOTICES: { label: 'Before a discount ends' },
  ASK_EXCHANGE_KEYS: { label: 'Ask buyers for exchange keys' },
  TERMS_LAW: { label: 'Law that applies, like “Swiss law”' },
  TERMS_VENUE: { label: 'Place of jurisdiction' },
} as const satisfies Record<string, { label: string; type?: 'email' | 'url' | 'tel' }>
export type EditableSetting = keyof typeof settingFields
export const editableSettings = Object.keys(settingFields) as EditableSetting[]

export const settingChoices: Partial<Record<EditableSetting, readonly (readonly [value: string, text: string])[]>> = {
  SALE_EMAILS: [
    ['each', 'For each sale'],
    ['daily', 'Once a day'],
    ['off', 'None'],
  ],
  MONDAY_LETTER: [
    ['yes', 'Yes, the week in one email'],
    ['no', 'No'],
  ],
  CARD_NOTICES: [
    ['yes', 'Yes, 21 days before'],
    ['no', 'No'],
  ],
  DISCOUNT_NOTICES: [
    ['yes', 'Yes, a week before the regular price'],
    ['no', 'No'],
  ],
  SHOW_FIGURES: [
    ['no', 'No'],
    ['yes', 'Yes, the medians of the last 30 days'],
  ],
  ASK_EXCHANGE_KEYS: [
    ['yes', 'Yes, with every request'],
    ['no', 'No, only the TradingView username'],
  ],
}

const line = z.string().check(
  z.trim(),
  z.maxLength(300, 'Please use at most 300 characters'),
  z.refine<string>((typed) => !/[\p{Cc}]/u.test(typed) && typed.isWellFormed(), 'Please write one line'),
)
const link = line.check(
  z.refine<string>(
    (typed) => typed === '' || (/^https:\/\/\S+$/.test(typed) && URL.canParse(typed)),
    'Please enter an address that starts with https://',
  ),
)

/** An empty value restores the default. */
function valueSchema(name: EditableSetting) {
  const emptyOr = (isValid: (typed: string) => boolean, message: string) =>
    line.check(z.refine<string>((typed) => typed === '' || isValid(typed), message))
  if (name === 'SUPPORT_EMAIL')
    return emptyOr((typed) => z.safeParse(email, typed).success, 'Please enter a valid email address')
  const choices: readonly (readonly [string, string])[] | undefined = settingChoices[name]
  if (choices) return emptyOr((typed) => choices.some(([value]) => value === typed), 'Please choose one of the answers')
  if (name === 'MAKER_LINK') return link
  if (name === 'MAKER_NAME') return emptyOr((typed) => !looksLikeLink(typed), 'Please enter a name without links')
  return line
}

const setting = z.object({
  name: z.string(),
  /** Null for a secret, which never leaves the server. */
  value: z.nullable(z.string()),
  /** The environment overrides the admin area, which overrides the default. */
  source: z.enum(['environment', 'here', 'default']),
})
export type Setting = z.infer<typeof setting>

const problem = z.object({
  /** Commands and names in both texts are in backticks. */
  text: z.string(),
  remedy: z.string(),
  isUrgent: z.boolean(),
})
export type Problem = z.infer<typeof problem>

/** An empty link is not shown. */
const productLinks = z.object({ slug: z.string(), name: z.string(), indicatorUrl: z.string(), strategyUrl: z.string() })
export type ProductLinks = z.infer<typeof productLinks>

export const settings = {
  adminShow: endpoint('GET /api/admin/settings', {
    access: 'settings.write',
    summary: 'What the shop runs with, and what is wrong with it',
    output: z.object({
      settings: z.array(setting),
      problems: z.array(problem),
      links: z.array(productLinks),
      /** Address of the photo on this site. */
      photo: z.nullable(z.string()),
      photoSource: z.enum(['environment', 'here', 'default']),
      /** Host of the SMTP server, or the folder that emails are written to. */
      mailsGoTo: z.string(),
    }),
  }),
  adminSave: endpoint('POST /api/admin/settings', {
    access: 'settings.write',
    summary: 'Set what the environment leaves open; an empty value goes back to the default',
    input: z.strictObject(
      Object.fromEntries(editableSettings.map((name) => [name, z.optional(valueSchema(name))])) as Record<
        EditableSetting,
        z.ZodMiniOptional<z.ZodMiniString<string>>
      >,
    ),
  }),
  adminSaveLinks: endpoint('POST /api/admin/settings/links', {
    access: 'settings.write',
    summary: 'Set the links of a product; an empty one brings back that of its file',
    input: z.strictObject({ slug: text(100, 'Please name a product'), indicatorUrl: link, strategyUrl: link }),
  }),
  adminSavePhoto: endpoint('POST /api/admin/settings/photo', {
    access: 'settings.write',
    summary: 'Set the maker’s photo, a small JPEG, PNG or WebP in base64; an empty one removes it',
    input: z.strictObject({
      photo: z
        .string()
        .check(
          z.maxLength(62_000, 'Please choose a smaller picture'),
          z.regex(/^[A-Za-z0-9+/]*={0,2}$/, 'This is not a picture'),
        ),
    }),
  }),
  adminTestMail: endpoint('POST /api/admin/settings/mail-test', {
    access: 'settings.write',
    fresh: false,
    summary: 'Send me a test email now, and say what the mail server answers',
    output: z.object({ to: z.string() }),
    limit: { requests: 10, seconds: 600 },
  }),
}
