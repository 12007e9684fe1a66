import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { extname } from 'node:path'
import type { ChecklistKey } from '#contract/admin/checklist.ts'
import { type EditableSetting, editableSettings, type Setting } from '#contract/admin/settings.ts'
import { type Seller, sellerSettings } from '#contract/seller.ts'
import type { ProductState } from '#contract/selling/product.ts'
import type { Actor } from '#server/actor.ts'
import type { Audit } from '#server/audit/audit.ts'
import { settingNames } from '#server/config/environment.ts'
import type { Config } from '#server/config.ts'
import type { Database } from '#server/database/connect.ts'
import { shopSettings } from '#server/database/schema.ts'
import { conflict, notFound, Refusal } from '#server/errors.ts'
import { hasOwnLinks, problemsOf } from './problems.ts'

type SettingsDeps = { db: Database; now: () => Date; audit: Audit; config: Config; products: LinkedProduct[] }
type Links = { indicatorUrl: string; strategyUrl: string }
type LinkedProduct = { slug: string; name: string; state: ProductState; package: Links }

const legalSettings = ['TERMS_LAW', 'TERMS_VENUE'] as const
const photoName = 'MAKER_PHOTO'
const confirmationName = (key: ChecklistKey) => `CONFIRMED ${key}`

const linkNames = (slug: string) => [`INDICATOR_URL ${slug}`, `STRATEGY_URL ${slug}`] as const

export type ShopSettings = ReturnType<typeof createShopSettings>

/** A value from the environment takes precedence over the seller's. */
export function createShopSettings({ db, now, audit, config, products }: SettingsDeps) {
  /** Values saved by the seller. An empty one counts as not set. */
  let stored: ReadonlyMap<string, string> = new Map()

  async function load() {
    const rows = await db.select().from(shopSettings)
    stored = new Map(rows.map((row) => [row.name, row.value]))
  }

  const photoFile = config.settings.MAKER_PHOTO
  const photoFromFile = photoFile
    ? { path: `/maker${extname(photoFile).toLowerCase()}`, body: readFileSync(photoFile) }
    : null

  const isFixed = (name: string) => config.namesInEnvironment.has(name)

  function linksOf(slug: string): Links {
    const file = products.find((product) => product.slug === slug)?.package
    const [indicator, strategy] = linkNames(slug)
    return {
      indicatorUrl: stored.get(indicator) || file?.indicatorUrl || '',
      strategyUrl: stored.get(strategy) || file?.strategyUrl || '',
    }
  }

  const listLinks = () => products.map(({ slug, name, state }) => ({ slug, name, state, ...linksOf(slug) }))

  function value(name: EditableSetting): string {
    const fromEnvironment = config.settings[name] ?? ''
    if (isFixed(name)) return fromEnvironment
    const defaultValue = name === 'SUPPORT_EMAIL' ? config.supportEmail : ''
    return stored.get(name) || fromEnvironment || defaultValue
  }

  async function write(actor: Actor, changes: [name: string, value: string][]) {
    const fixedName = changes.map(([name]) => name).find(isFixed)
    if (fixedName) throw conflict('set-by-environment', `${fixedName} is set by the environment`)
    await db.transaction(async (tx) => {
      for (const [name, newValue] of changes)
        await tx
          .insert(shopSettings)
          .values({ name, value: newValue, updatedAt: now() })
          .onConflictDoUpdate({ target: shopSettings.name, set: { value: newValue, updatedAt: now() } })
      await audit.record(tx, actor, { action: 'settings.save', subject: changes.map(([name]) => name).join(', ') })
    })
    await load()
  }

  /** Getters, because the seller may change the values while the shop runs. */
  const current = {
    get supportEmail() {
      return value('SUPPORT_EMAIL')
    },
    get seller() {
      return sellerOf(value)
    },
    linksOf,
    get linksOnSale() {
      return listLinks().filter(({ state }) => state === 'on sale')
    },
    get law() {
      return { law: value('TERMS_LAW'), venue: value('TERMS_VENUE') }
    },
    get hasChosenLaw() {
      return legalSettings.every((name) => isFixed(name) || Boolean(stored.get(name)))
    },
    get askExchangeKeys() {
      return value('ASK_EXCHANGE_KEYS') !== 'no'
    },
    get showsFigures() {
      return value('SHOW_FIGURES') === 'yes'
    },
    get saleEmails() {
      return value('SALE_EMAILS')
    },
    get wantsMondayLetter() {
      return value('MONDAY_LETTER') !== 'no'
    },
    sends: (notices: 'CARD_NOTICES' | 'DISCOUNT_NOTICES') => value(notices) !== 'no',
    get hasChosenKeys() {
      return isFixed('ASK_EXCHANGE_KEYS') || Boolean(stored.get('ASK_EXCHANGE_KEYS'))
    },
    get hasOwnScripts() {
      return current.linksOnSale.every(hasOwnLinks)
    },
    get maker() {
      return makerOf(value, photoFromFile ?? uploadedPhoto(stored.get(photoName)))
    },
  }
  return {
    load,
    current,
    countProblems: () => problemsOf(config, current).length,

    show(mailsGoTo: string) {
      return {
        settings: settingsInUse(config, value, (name) => Boolean(stored.get(name))),
        problems: problemsOf(config, current),
        links: listLinks().map(({ state: _, ...links }) => links),
        photo: current.maker.photo?.path ?? null,
        photoSource: sourceOf(isFixed(photoName), Boolean(stored.get(photoName))),
        mailsGoTo,
      }
    },

    isConfirmed: (key: ChecklistKey) => stored.has(confirmationName(key)),
    confirm: (actor: Actor, key: ChecklistKey) => write(actor, [[confirmationName(key), 'yes']]),

    save: (actor: Actor, changes: Partial<Record<EditableSetting, string | undefined>>) =>
      write(
        actor,
        Object.entries(changes).filter((entry): entry is [EditableSetting, string] => entry[1] !== undefined),
      ),

    async saveLinks(actor: Actor, { slug, indicatorUrl, strategyUrl }: Links & { slug: string }) {
      if (!products.some((product) => product.slug === slug)) throw notFound('Product')
      const [indicator, strategy] = linkNames(slug)
      await write(actor, [
        [indicator, indicatorUrl],
        [strategy, strategyUrl],
      ])
    },

    async savePhoto(actor: Actor, photo: string) {
      if (photo && !photoType(Buffer.from(photo, 'base64')))
        throw new Refusal(400, 'invalid-input', 'Please choose a JPEG, PNG or WebP picture')
      await write(actor, [[photoName, photo]])
    },
  }
}

const sellerOf = (value: (name: EditableSetting) => string) =>
  Object.fromEntries(Object.entries(sellerSettings).map(([key, name]) => [key, value(name)])) as Seller

const secretSettings = new Set([
  'ADMIN_PASSWORD',
  'SMTP_URL',
  'DATABASE_URL',
  'DATABASE_DIRECT_URL',
  'DATABASE_REPLICA_URL',
  'STRIPE_SECRET_KEY',
  'STRIPE_WEBHOOK_SECRET',
  'SECRETS_KEY',
  'SECRETS_KEY_OLD',
  'METRICS_TOKEN',
])

const isEditable = (name: string): name is EditableSetting => editableSettings.some((editable) => editable === name)

function settingsInUse(
  config: Config,
  value: (name: EditableSetting) => string,
  isStored: (name: string) => boolean,
): Setting[] {
  function shownValue(name: string) {
    if (secretSettings.has(name)) return null
    return isEditable(name) ? value(name) : String(config.settings[name as keyof typeof config.settings] ?? '')
  }
  return settingNames
    .filter((name) => name !== 'MAKER_PHOTO')
    .map((name) => ({
      name,
      value: shownValue(name),
      source: sourceOf(config.namesInEnvironment.has(name), isStored(name)),
    }))
}

type Photo = { path: string; body: Buffer }

function photoType(body: Buffer): '.jpg' | '.png' | '.webp' | undefined {
  if (body.subarray(0, 3).equals(Buffer.from([0xff, 0xd8, 0xff]))) return '.jpg'
  if (body.subarray(0, 8).equals(Buffer.from('89504e470d0a1a0a', 'hex'))) return '.png'
  return body.subarray(0, 4).toString() === 'RIFF' && body.subarray(8, 12).toString() === 'WEBP' ? '.webp' : undefined
}

function sourceOf(isFixed: boolean, isStored: boolean): Setting['source'] {
  if (isFixed) return 'environment'
  return isStored ? 'here' : 'default'
}

function makerOf(value: (name: EditableSetting) => string, photo: Photo | null) {
  const link = value('MAKER_LINK')
  return {
    name: value('MAKER_NAME'),
    sentence: value('MAKER_SENTENCE'),
    more: value('MAKER_MORE'),
    // The admin area checks this field, but the environment may hold any text.
    link: link.startsWith('https://') ? link : '',
    photo,
  }
}

/** The path of an uploaded photo changes with its content. */
function uploadedPhoto(uploaded: string | undefined): Photo | null {
  if (!uploaded) return null
  const body = Buffer.from(uploaded, 'base64')
  const type = photoType(body)
  const contentHash = createHash('sha256').update(body).digest('hex').slice(0, 8)
  return type ? { path: `/maker-${contentHash}${type}`, body } : null
}
