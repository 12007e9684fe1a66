import { existsSync, readFileSync } from 'node:fs'
import process from 'node:process'
import { settingNames } from './environment.ts'

type Line = { number: number; name: string; value: string; warning?: string }

/** Adds `.env` to the environment, which goes first, read as systemd's EnvironmentFile does. Returns what to look at. */
export function loadEnvFile(env: NodeJS.ProcessEnv = process.env, file = '.env'): string[] {
  const given = Object.keys(env)
  const lines = existsSync(file) ? parse(readFileSync(file, 'utf8')) : []
  for (const { name, value } of lines) if (name && !given.includes(name)) env[name] = value
  const inFile = new Set(lines.map(({ name }) => name))
  return [
    ...lines.flatMap(({ number, name, warning = aboutName(name) }) =>
      warning ? [`${file}, line ${number}: ${warning}`] : [],
    ),
    // Other programs share the environment, so only names similar to a setting are reported.
    ...given.filter((name) => !inFile.has(name) && alikeTo(name)).flatMap((name) => aboutName(name) ?? []),
  ]
}

/** The last line for a name wins. */
export function parse(text: string): Line[] {
  return text.split(/\r?\n/).flatMap((line, index) => {
    const trimmed = line.trim()
    if (!trimmed || /^[#;]/.test(trimmed)) return []
    const number = index + 1
    const [, name, given = ''] = /^([A-Za-z_]\w*)\s*=\s*(.*)$/.exec(trimmed) ?? []
    if (!name) return [{ number, name: '', value: '', warning: 'This is not NAME=value, and is ignored.' }]
    return [{ number, name, ...valueOf(name, given) }]
  })
}

const quoted = /^(?:'([^']*)'|"((?:[^"\\]|\\.)*)")\s*(.*)$/

function valueOf(name: string, given: string): Pick<Line, 'value' | 'warning'> {
  const [, single, double, rest = ''] = quoted.exec(given) ?? []
  const inside = single ?? double?.replaceAll(/\\(["\\`$])/g, '$1')
  if (inside !== undefined && !rest) return { value: inside }
  const value = inside === undefined ? given.replaceAll(/\\(.)/g, '$1') : inside + rest
  if (inside === undefined && !/[#'"\\]/.test(given)) return { value }
  const odd = /^['"]/.test(given) ? 'is only partly in quotes' : 'has #, a quote or \\ outside of quotes'
  return {
    value,
    warning: `${name} ${odd}. A comment needs a line of its own; everything on this one is the value. Put it in 'single quotes', so that every program reads the same.`,
  }
}

/** Variables of Node and the system that are no misspelled settings. */
const isOthers = (name: string) => /^(NODE_|PG|TZ$|LANG$|LC_|HTTPS?_PROXY$|NO_PROXY$)/.test(name)

function aboutName(name: string): string | undefined {
  if (!name || settingNames.includes(name) || isOthers(name)) return undefined
  const similarName = alikeTo(name)
  return `${name} is not a setting of the shop.${similarName ? ` Did you mean ${similarName}?` : ''}`
}

/** The setting that a misspelled name means. Short names are too much alike: HOME is not HOST. */
const alikeTo = (name: string) =>
  settingNames.includes(name) || name.length < 7
    ? undefined
    : settingNames.find((setting) => isAlike(name.toUpperCase(), setting, 2))

/** True if both differ by at most this many added, removed or changed letters. */
function isAlike(from: string, to: string, changes: number): boolean {
  if (from === to) return true
  if (changes === 0) return false
  let same = 0
  while (from[same] === to[same]) same++
  const [one, other] = [from.slice(same), to.slice(same)]
  const pairs = [
    [one.slice(1), other.slice(1)] as const,
    [one.slice(1), other] as const,
    [one, other.slice(1)] as const,
  ]
  return pairs.some(([left, right]) => isAlike(left, right, changes - 1))
}
