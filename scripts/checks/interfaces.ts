import { posix } from 'node:path'
import { parseSync } from 'oxc-parser'

type Sources = ReadonlyMap<string, string>

const isFeature = (path: string) => /^server\/features\/.+\.ts$/.test(path) && !path.endsWith('.test.ts')

/** A module must declare its interface instead of inferring it, and must not take the whole `Context`. */
export function checkInterfaces(sources: Sources): string[] {
  return [...sources].flatMap(([path, source]) => {
    if (!isFeature(path)) return []
    const code = withoutComments(path, source)
    const complaints = undeclaredIn(path, source).map((name) => `${path}: declare the return type of ${name}`)
    if (/\bReturnType<typeof (create|open)[A-Z]/.test(code))
      complaints.push(`${path}: ReturnType<typeof create…> is no interface, write the type`)
    const codeWithoutAllowedUses = code.replaceAll(/import[^\n]*context\.ts'|Pick<\s*Context,/g, '')
    if (/\bContext\b/.test(codeWithoutAllowedUses)) complaints.push(`${path}: name what is needed, Pick<Context, …>`)
    return complaints
  })
}

function undeclaredIn(path: string, source: string): string[] {
  return parseSync(path, source).program.body.flatMap((statement) => {
    const declared = statement.type === 'ExportNamedDeclaration' ? statement.declaration : null
    if (declared?.type !== 'FunctionDeclaration' || declared.returnType) return []
    const name = declared.id?.name ?? ''
    return /^(create|open)[A-Z]/.test(name) ? [name] : []
  })
}

function withoutComments(path: string, source: string): string {
  let code = source
  for (const { start, end } of parseSync(path, source).comments)
    code = code.slice(0, start) + ' '.repeat(end - start) + code.slice(end)
  return code
}

const areaOf = (path: string) => /^(?:contract|(?:server|web)\/features)\/[a-z]+\//.exec(path)?.[0]

export function checkFileNames(paths: Iterable<string>): string[] {
  const pathByKey = new Map<string, string>()
  const complaints: string[] = []
  for (const path of paths) {
    const area = areaOf(path)
    if (!area || /\.test\.tsx?$/.test(path)) continue
    const key = area + posix.basename(path)
    const otherPath = pathByKey.get(key)
    if (otherPath) complaints.push(`${path} and ${otherPath} have one name in one area`)
    else pathByKey.set(key, path)
  }
  return complaints
}
