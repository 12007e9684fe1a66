import { parseSync, Visitor } from 'oxc-parser'

type Texts = ReadonlyMap<string, string>

/** A word that code and documents must not use, and the glossary's word for it. In backticks, it is the name of a type. */
type RefusedWord = { word: string; instead: string }

/** Reads the column "not" of every table in `docs/glossary.md`. */
export function readGlossary(glossary: string): RefusedWord[] {
  const tables = glossary.split('\n\n').filter((paragraph) => paragraph.startsWith('| say | means | not |'))
  const linesBelowHeaders = tables.flatMap((table) => table.split('\n').slice(2))
  return linesBelowHeaders.flatMap((line) => {
    const [, instead = '', , not = ''] = line.split('|').map((cell) => cell.trim())
    const words = not.split(',').map((word) => word.trim())
    return words.filter(Boolean).map((word) => ({ word, instead }))
  })
}

/** Strings are not read. */
export function checkGlossary(sources: Texts, documents: Texts, refused: RefusedWord[]): string[] {
  const complaints: string[] = []
  const typeNames = refused.filter(isTypeName)
  const phrases = refused.filter((refusedWord) => !isTypeName(refusedWord))
  const checkText = (path: string, text: string) => {
    const words = wordsOf(text)
    for (const { word, instead } of phrases)
      if (words.includes(` ${word} `)) complaints.push(`${path} says "${word}" in "${text.trim()}": say ${instead}`)
  }
  for (const [path, source] of sources) {
    for (const text of namesAndComments(path, source)) checkText(path, text)
    for (const { word, instead } of typeNames)
      if (new RegExp(`\\b(type|interface) ${word.replaceAll('`', '')}\\b`).test(source))
        complaints.push(`${path} has a type ${word}: name it after its content, such as ${instead}`)
  }
  for (const [path, document] of documents)
    for (const line of document.replaceAll(/`[^`]*`|“[^”]*”|"[^"]*"/g, ' ').split('\n')) checkText(path, line)
  return complaints
}

const isTypeName = ({ word }: RefusedWord) => word.startsWith('`')

function namesAndComments(path: string, source: string): Set<string> {
  const { program, comments } = parseSync(path, source)
  const texts = new Set(comments.map(({ value }) => value))
  const add = ({ name }: { name: string }) => void texts.add(name)
  new Visitor({ Identifier: add, JSXIdentifier: add }).visit(program)
  return texts
}

/**
 * Words in lower case, with spaces around each. Punctuation becomes a dot, so that no phrase spans it. Apostrophes, slashes,
 * asterisks, underscores and hyphens only separate words.
 */
function wordsOf(text: string): string {
  const withSplitNames = text.replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2').toLowerCase()
  const withDots = withSplitNames.replaceAll(/[^\sa-z0-9_'/*-]+/g, ' . ')
  const words = withDots.split(/[^a-z0-9.]+/)
  return ` ${words.join(' ')} `
}
