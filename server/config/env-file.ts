import { existsSync, readFileSync } from 'node:fs'
import process from 'node:process'
import { settingNames } from './environment.ts'

type EnvLine = { number: number; name: string; value: string; warning?: string }

/** Parses `.env` like systemd's EnvironmentFile. Variables that `env` already has stay. Returns warnings. */
export function loadEnvFile(env: NodeJS.ProcessEnv = process.env, file = '.env'): string[] {
  const namesInEnvironment = Object.keys(env)
  const lines = existsSync(file) ? parse(readFileSync(file, 'utf8')) : []
  for (const { name, value } of lines) if (name && !namesInEnvironment.includes(name)) env[name] = value

  const namesInFile = new Set(lines.map(({ name }) => name))
  const warnings: string[] = []
  for (const { number, name, warning = warningAboutName(name) } of lines)
    if (warning) warnings.push(`${file}, line ${number}: ${warning}`)
  for (const name of namesInEnvironment) {
    // Other programs share the environment, so only names similar to a setting are reported.
    if (namesInFile.has(name) || !similarSetting(name)) continue
    const warning = warningAboutName(name)
    if (warning) warnings.push(warning)
  }
  return warnings
}

/** A name may occur twice; the caller lets the last line win. */
export function parse(text: string): EnvLine[] {
  return text.split(/\r?\n/).flatMap((line, index) => {
    const trimmed = line.trim()
    if (!trimmed || /^[#;]/.test(trimmed)) return []
    const number = index + 1
    const [, name, rawValue = ''] = /^([A-Za-z_]\w*)\s*=\s*(.*)$/.exec(trimmed) ?? []
    if (!name) return [{ number, name: '', value: '', warning: 'This is not NAME=value, and is ignored.' }]
    return [{ number, name, ...parseValue(name, rawValue) }]
  })
}

const quotedStart = /^(?:'([^']*)'|"((?:[^"\\]|\\.)*)")\s*(.*)$/

function parseValue(name: string, rawValue: string): Pick<EnvLine, 'value' | 'warning'> {
  const [, singleQuoted, doubleQuoted, textAfterQuotes = ''] = quotedStart.exec(rawValue) ?? []
  const textInQuotes = singleQuoted ?? doubleQuoted?.replaceAll(/\\(["\\`$])/g, '$1')
  if (textInQuotes !== undefined) {
    const value = textInQuotes + textAfterQuotes
    return textAfterQuotes ? { value, warning: partlyQuotedWarning(name) } : { value }
  }
  const value = rawValue.replaceAll(/\\(.)/g, '$1')
  const hasSpecialCharacter = /[#'"\\]/.test(rawValue)
  if (!hasSpecialCharacter) return { value }
  const hasUnclosedQuote = /^['"]/.test(rawValue)
  return {
    value,
    warning: hasUnclosedQuote
      ? partlyQuotedWarning(name)
      : quotesWarning(name, 'has #, a quote or \\ outside of quotes'),
  }
}

const partlyQuotedWarning = (name: string) => quotesWarning(name, 'is only partly in quotes')
const quotesWarning = (name: string, problem: string) =>
  `${name} ${problem}. A comment needs a line of its own; everything on this one is the value. Put it in 'single quotes', so that every program reads the same.`

const isSystemVariable = (name: string) => /^(NODE_|PG|TZ$|LANG$|LC_|HTTPS?_PROXY$|NO_PROXY$)/.test(name)

function warningAboutName(name: string): string | undefined {
  if (!name || settingNames.includes(name) || isSystemVariable(name)) return undefined
  const similarName = similarSetting(name)
  return `${name} is not a setting of the shop.${similarName ? ` Did you mean ${similarName}?` : ''}`
}

/** Short names resemble each other too often: HOME is not a misspelled HOST. */
function similarSetting(name: string): string | undefined {
  if (settingNames.includes(name) || name.length < 7) return undefined
  return settingNames.find((setting) => differsByAtMost(2, name.toUpperCase(), setting))
}

function differsByAtMost(maxEdits: number, first: string, second: string): boolean {
  if (first === second) return true
  if (maxEdits === 0) return false
  let commonLength = 0
  while (first[commonLength] === second[commonLength]) commonLength++
  const [firstEnd, secondEnd] = [first.slice(commonLength), second.slice(commonLength)]
  const isLetterChanged = () => differsByAtMost(maxEdits - 1, firstEnd.slice(1), secondEnd.slice(1))
  const isLetterAdded = () => differsByAtMost(maxEdits - 1, firstEnd.slice(1), secondEnd)
  const isLetterRemoved = () => differsByAtMost(maxEdits - 1, firstEnd, secondEnd.slice(1))
  return isLetterChanged() || isLetterAdded() || isLetterRemoved()
}
