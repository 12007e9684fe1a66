import { posix } from 'node:path'
import { parseSync } from 'oxc-parser'
import { layerComplaint } from './web-layers.ts'

type Sources = ReadonlyMap<string, string>

/** Allowed imports between top-level folders. Tests may import more, see `mayImport`. */
const allowedTargets: Record<string, string[]> = {
  contract: ['contract', 'content'],
  web: ['web', 'contract', 'content'],
  server: ['server', 'contract', 'package.json'],
  sandbox: ['sandbox'],
  e2e: ['e2e', 'contract', 'server', 'scripts'],
  scripts: ['scripts', 'contract', 'server', 'sandbox', 'package.json'],
  proofs: ['proofs', 'scripts', 'contract', 'server', 'sandbox'],
}

/** Only code that assembles a whole shop may start the sandbox. */
const mayStartSandbox = /^server\/(gateways\/payments\.ts|testing\/)/

export function checkArrows(sources: Sources): { complaints: string[]; modules: number; imports: number } {
  let imports = 0
  const complaints: string[] = []
  for (const [from, source] of sources) {
    for (const specifier of importsOf(from, source)) {
      const to = resolve(from, specifier)
      if (to === undefined) {
        const complaint = packageComplaint(from, specifier)
        if (complaint) complaints.push(complaint)
      } else {
        imports += 1
        const complaint = mayImport(from, to) ?? styleComplaint(from, to, specifier)
        if (complaint) complaints.push(`${from} imports ${to}: ${complaint}`)
      }
    }
  }
  return { complaints, modules: sources.size, imports }
}

function importsOf(path: string, source: string): Set<string> {
  const { module, errors } = parseSync(path, source)
  if (errors.length > 0) throw new Error(`${path} cannot be parsed: ${errors[0]?.message}`)
  const specifiers = new Set(module.staticImports.map(({ moduleRequest }) => moduleRequest.value))
  for (const { entries } of module.staticExports)
    for (const { moduleRequest } of entries) if (moduleRequest) specifiers.add(moduleRequest.value)
  for (const { moduleRequest } of module.dynamicImports) {
    const argument = source.slice(moduleRequest.start, moduleRequest.end)
    const [, specifier] = /^['"](.+)['"]$/.exec(argument) ?? []
    if (specifier) specifiers.add(specifier)
  }
  return specifiers
}

/** Undefined for a package. */
function resolve(from: string, specifier: string): string | undefined {
  if (specifier.startsWith('#')) return specifier.slice(1)
  if (specifier.startsWith('.')) return posix.join(posix.dirname(from), specifier)
  return undefined
}

const isTest = (path: string) => /\.test\.tsx?$/.test(path)
const isForTests = (path: string) => /^(server|sandbox|web)\/testing\//.test(path)
/** Tests, their helpers, and proofs that measure or break a whole shop on purpose. */
const isTesting = (path: string) => isTest(path) || isForTests(path) || /^(e2e|proofs)\//.test(path)
const proofOf = (path: string) => /^proofs\/(\w+)/.exec(path)?.[1]
const folderOf = (path: string) => path.split('/')[0] ?? ''
/** A module with its area: `identity/accounts`. */
const moduleOf = (path: string) => /^server\/features\/(\w+\/[^/]+)\//.exec(path)?.[1]

const platform = /^server\/(http|pages|metrics|database|gateways|jobs|security|concurrency|mails|audit|settings)\//
/** Excludes `routes.ts` of an area, which may know about HTTP. */
const isModuleCode = (path: string) => moduleOf(path) && !isTest(path)

function packageComplaint(from: string, specifier: string): string | undefined {
  const name = specifier.replace(/^node:/, '')
  const isZod = /^zod(\/|$)/.test(name)
  if (folderOf(from) === 'contract' && !isTest(from) && !isZod)
    return `${from} imports ${specifier}: the contract imports only zod`
  if (isModuleCode(from) && /^(@?fastify|http2?|https)(\/|$)/.test(name))
    return `${from} imports ${specifier}: only an area's routes.ts knows about HTTP`
  return undefined
}

function mayImport(from: string, to: string): string | undefined {
  const [folder, target] = [folderOf(from), folderOf(to)]
  const isFromTest = isTesting(from)
  if (isTest(to)) return 'nothing may import a test'
  if (isForTests(to) && !isFromTest) return 'only tests may import test helpers'
  const [fromProof, toProof] = [proofOf(from), proofOf(to)]
  if (fromProof && toProof && toProof !== fromProof && toProof !== 'lab') return 'proofs share only proofs/lab'

  const mayCross =
    folder === target ||
    allowedTargets[folder]?.includes(target) ||
    (target === 'sandbox' && mayStartSandbox.test(from)) ||
    (folder === 'sandbox' && isFromTest && to.startsWith('server/testing/'))
  if (!mayCross) return `${folder} may not import ${target}`

  const orderComplaint = isFromTest ? undefined : (layerComplaint(from, to) ?? areaComplaint(from, to))
  if (orderComplaint) return orderComplaint

  if (platform.test(from) && !isFromTest && moduleOf(to)) return 'the platform may not import features'

  if (isModuleCode(from) && to.startsWith('server/http/')) return "only an area's routes.ts knows about HTTP"

  const module = moduleOf(to)
  if (module && module !== moduleOf(from)) {
    const mainFile = `server/features/${module}/${module.split('/')[1]}.ts`
    if (to !== mainFile) return `other modules import only ${mainFile}`
  }
  return undefined
}

function styleComplaint(from: string, to: string, specifier: string): string | undefined {
  const crossesFolders = folderOf(from) !== folderOf(to)
  // Excludes `package.json`, which has no short form with `#`.
  const isCodeFolder = folderOf(to) in allowedTargets
  if (crossesFolders && isCodeFolder && !specifier.startsWith('#')) return `write #${to}`
  return undefined
}

/** Each area may import the areas before it; `server/events.ts` carries what an area tells a later one. */
const areasInOrder = ['identity', 'selling', 'access', 'site', 'admin']

const areaOf = (path: string) =>
  areasInOrder.find((area) => path.match(/^(?:contract|(?:server|web)\/features)\/(\w+)\//)?.[1] === area)

const listsEveryCall = /^contract\/(index|plain-forms)\.ts$/

function areaComplaint(from: string, to: string): string | undefined {
  const [area, target] = [areaOf(from), areaOf(to)]
  // Screens may call every area, so only imports within one top-level folder count.
  if (!target || area === target || from.split('/')[0] !== to.split('/')[0]) return undefined
  if (area)
    return areasInOrder.indexOf(target) < areasInOrder.indexOf(area) ? undefined : `${area} may not know ${target}`
  if (from.startsWith('contract/') && !listsEveryCall.test(from)) return `the platform may not know ${target}`
  return undefined
}
