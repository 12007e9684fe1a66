import { join } from 'node:path'
import { build, type Rolldown } from 'vite'

/** What the server loads at every start, or with its first email; the rest, such as passkeys, is loaded when it is used. */
const libraries = [
  '@fastify/cookie',
  'drizzle-orm',
  'drizzle-orm/node-postgres',
  'drizzle-orm/pg-core',
  'fastify',
  'node:http',
  'nodemailer',
  'pg',
  'pg-boss',
  'pg-copy-streams',
  'stripe',
  'zod',
]
const prefix = 'virtual:'

/** `dist/libraries`: 800 modules in a few files, for half the time and memory of a start. `boot.js` finds them there. */
export async function buildLibraries(root: string) {
  await build({
    root,
    configFile: false,
    envDir: false,
    logLevel: 'error',
    publicDir: false,
    // Left out: pino finds its own files by their path, and the other two are for those who installed them.
    ssr: { noExternal: true, external: ['pino', 'pg-native', 'pg-cloudflare'] },
    plugins: [{ name: 'libraries', enforce: 'pre', resolveId, load, generateBundle: inOneByte }],
    build: {
      ssr: true,
      minify: false,
      outDir: join(root, 'dist/libraries'),
      rolldownOptions: {
        input: Object.fromEntries(libraries.map((name) => [fileOf(name), prefix + name])),
        output: {
          entryFileNames: '[name].js',
          chunkFileNames: 'shared-[hash].js',
          minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
        },
      },
    },
  })
}

/** V8 keeps a whole file in two bytes a character if there is a single one beyond Latin-1. */
function inOneByte(_: unknown, files: Rolldown.OutputBundle) {
  const escaped = (each: string) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`
  for (const file of Object.values(files))
    if (file.type === 'chunk') file.code = file.code.replaceAll(/[^\0-\xff]/g, escaped)
}

const fileOf = (name: string) => name.replaceAll(/[/:]/g, '_')

function resolveId(id: string, _: unknown, { kind }: { kind?: string }) {
  if (kind === 'import-statement' && /^(node:)?http$/.test(id)) return `\0${prefix}node:http`
  return id.startsWith(prefix) ? `\0${id}` : null
}

/** Passes on a library's exports; those of a CommonJS library must be named. */
async function load(id: string) {
  if (!id.startsWith(`\0${prefix}`)) return null
  const name = id.slice(prefix.length + 1)
  if (name === 'node:http') return httpWithoutFetch()
  const found: object = await import(name)
  if (!('module.exports' in found))
    return `export * from '${name}'\n${'default' in found ? `export { default } from '${name}'` : ''}`
  const names = Object.keys(found).filter((each) => each !== 'default' && /^\w+$/.test(each))
  const exports = names.map((each) => `const export_${each} = library.${each}\nexport { export_${each} as ${each} }`)
  return `import library from '${name}'\nexport default library\n${exports.join('\n')}`
}

/** Imported as a module, Node's own loads all of fetch (13 MB) for the sake of three names that it passes on. */
function httpWithoutFetch() {
  const names = Object.entries(Object.getOwnPropertyDescriptors(process.getBuiltinModule('node:http')))
    .filter(([, { value }]) => value !== undefined)
    .map(([name]) => name)
  return `const http = process.getBuiltinModule('node:http')\nexport default http\nexport const { ${names.join(', ')} } = http`
}
