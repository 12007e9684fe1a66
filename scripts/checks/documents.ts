import { globSync, readFileSync } from 'node:fs'

type Repository = { exists: (path: string) => boolean; scripts: string[] }

export function readDocuments(): Map<string, string> {
  const paths = globSync(['*.md', 'docs/**/*.md'])
  return new Map(paths.toSorted().map((path) => [path, readFileSync(path, 'utf8')]))
}

export function checkDocuments(documents: ReadonlyMap<string, string>, { exists, scripts }: Repository): string[] {
  const complaints: string[] = []
  for (const [path, text] of documents) {
    const files = text.matchAll(/`((?:contract|server|web|sandbox|e2e|scripts|proofs|docs|deploy)\/[\w./-]*)`/g)
    for (const [, file = ''] of files) if (!exists(file)) complaints.push(`${path} names ${file}, which does not exist`)
    for (const [, script = ''] of text.matchAll(/npm run ([\w:-]+)/g))
      if (!scripts.includes(script)) complaints.push(`${path} names npm run ${script}, which does not exist`)
  }
  return complaints
}

export function checkSettings(example: string, names: string[]): string[] {
  const explainedNames = [...example.matchAll(/^#? ?([A-Z][A-Z_]+)=/gm)].map((match) => match[1] ?? '')
  const missing = names.filter((name) => !explainedNames.includes(name))
  const unknown = explainedNames.filter((name) => !names.includes(name))
  const repeated = explainedNames.filter((name, index) => explainedNames.indexOf(name) !== index)
  return [
    ...missing.map((name) => `.env.example does not explain ${name}`),
    ...unknown.map((name) => `.env.example has ${name}, which nothing reads`),
    ...repeated.map((name) => `.env.example has ${name} twice`),
  ]
}
