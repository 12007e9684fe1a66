import { type EditableSetting, editableSettings, type Setting } from '#contract/desk/settings.ts'
import { settingNames } from '#server/config/environment.ts'
import type { Config } from '#server/config.ts'

const secrets = new Set([
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

const isEditable = (name: string): name is EditableSetting =>
  editableSettings.some((editable) => editable === name)

/** Every setting with where it comes from. A secret's value stays here. */
export function settingsInUse(
  config: Config,
  value: (name: EditableSetting) => string,
  isSetHere: (name: string) => boolean,
): Setting[] {
  return settingNames
    .filter((name) => name !== 'MAKER_PHOTO')
    .map((name) => ({
      name,
      value: secrets.has(name)
        ? null
        : isEditable(name)
          ? value(name)
          : String(config.settings[name as keyof typeof config.settings] ?? ''),
      source: config.given.has(name) ? 'environment' : isSetHere(name) ? 'here' : 'default',
    }))
}
