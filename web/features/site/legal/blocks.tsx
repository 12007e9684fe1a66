import { isList, type LegalBlock, piecesOf, type Words } from '#contract/selling/legal/text.ts'
import { isOurs, Link } from '#web/ui/navigation.tsx'

/** Paragraphs and lists of a legal text, with their links. */
export function Blocks({ blocks }: { blocks: LegalBlock[] }) {
  return blocks.map((block) =>
    isList(block) ? (
      <ul key={keyOf(block.list[0] ?? '')}>
        {block.list.map((item) => (
          <li key={keyOf(item)}>
            <Paragraph words={item} />
          </li>
        ))}
      </ul>
    ) : (
      <p key={keyOf(block)}>
        <Paragraph words={block} />
      </p>
    ),
  )
}

const keyOf = (words: Words) => piecesOf(words)[0]?.text

function Paragraph({ words }: { words: Words }) {
  return piecesOf(words).map((piece) => {
    if (!piece.href) return piece.text
    return isOurs(piece.href) ? (
      <Link key={piece.href} href={piece.href}>
        {piece.text}
      </Link>
    ) : (
      <a key={piece.href} href={piece.href}>
        {piece.text}
      </a>
    )
  })
}
