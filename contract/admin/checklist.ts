import * as z from 'zod/mini'
import { endpoint } from '../endpoint.ts'

type ChecklistLine = { title: string; todo: string; href: string | null; confirms?: string }

/** `confirms` is the text of the button with which the seller accepts the default. */
export const checklistLines = {
  imprint: { title: 'Imprint', todo: 'Add your name, street, city and country.', href: '/admin/settings#SELLER_NAME' },
  support_address: {
    title: 'Support address',
    todo: 'Set the address that buyers write to.',
    href: '/admin/settings#SUPPORT_EMAIL',
  },
  law: { title: 'Law and venue', todo: 'Confirm or change what your terms say.', href: '/admin/settings#TERMS_LAW' },
  exchange_keys: {
    title: 'Exchange keys',
    todo: 'Say whether buyers are asked for the API keys of their exchange.',
    href: '/admin/settings#ASK_EXCHANGE_KEYS',
  },
  scripts: {
    title: 'Scripts',
    todo: 'Add the links to your indicator and strategy.',
    href: '/admin/settings#indicatorUrl',
  },
  texts: {
    title: 'Name and texts',
    todo: 'Read your pages: name, tagline, help, setup guide and legal texts (docs/selling.md).',
    href: null,
    confirms: 'They are mine',
  },
  products: {
    title: 'Products',
    todo: 'Look at what is on sale, and at each product’s page.',
    href: null,
    confirms: 'They are right',
  },
  prices: {
    title: 'Prices',
    todo: 'Look at what each plan costs.',
    href: '/admin/purchases/prices',
    confirms: 'They are right',
  },
  tradingview: {
    title: 'TradingView',
    todo: 'Connect it to unlock buyers by itself, or unlock them by hand.',
    href: '/admin/access/connection',
    confirms: 'I unlock by hand',
  },
  second_factor: {
    title: 'Second factor',
    todo: 'Every admin sets up a passkey or an authenticator app.',
    href: '/account',
  },
  address: {
    title: 'Address and TLS',
    todo: 'Set PUBLIC_URL to an address that begins with https:// (docs/install.md).',
    href: null,
  },
  email: {
    title: 'Email',
    todo: 'Set SMTP_URL, and send yourself a test email.',
    href: '/admin/settings#section_email',
  },
  payments: {
    title: 'Payments',
    todo: 'Test mode: you are not selling yet. Replace PAYMENTS=sandbox by Stripe’s live keys (docs/stripe.md).',
    href: null,
  },
  webhook: { title: 'Stripe’s webhook', todo: '`npm run stripe -- setup` makes it with your live keys.', href: null },
} as const satisfies Record<string, ChecklistLine>

export type ChecklistKey = keyof typeof checklistLines
export const checklistKeys = Object.keys(checklistLines) as [ChecklistKey, ...ChecklistKey[]]

export const checklist = {
  adminShow: endpoint('GET /api/admin/checklist', {
    access: 'settings.write',
    summary: 'What a shop that does not sell yet still needs; null once it sells',
    output: z.nullable(z.array(z.object({ key: z.enum(checklistKeys), isDone: z.boolean() }))),
  }),
  adminConfirm: endpoint('POST /api/admin/checklist', {
    access: 'settings.write',
    fresh: false,
    summary: 'Confirm a line that has a default',
    input: z.strictObject({ key: z.enum(checklistKeys) }),
  }),
}
