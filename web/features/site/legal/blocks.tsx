import { type LegalBlock, piecesOf } from '#contract/selling/legal/text.ts'
import { Link } from '#web/ui/navigation.tsx'

/** Paragraphs and lists of a legal text, with their links. */
export function Blocks({ blocks }: { blocks: LegalBlock[] }) {
  return blocks.map((block) =>
    typeof block === 'string' ? (
      <p key={block}>
        <Paragraph text={block} />
      </p>
    ) : (
      <ul key={block.list[0]}>
        {block.list.map((item) => (
          <li key={item}>
            <Paragraph text={item} />
          </li>
        ))}
      </ul>
    ),
  )
}

function Paragraph({ text }: { text: string }) {
  return piecesOf(text).map((piece) => {
    if (!piece.href) return piece.text
    return piece.href.startsWith('/') ? (
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
