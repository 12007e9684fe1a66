import type { Block, Inline } from '#contract/markdown.ts'
import { AnyLink } from './navigation.tsx'

/** Needs a container with the `.legal` class, which styles the blocks. */
export function Blocks({ blocks }: { blocks: Block[] }) {
  return blocks.map((block, index) => {
    // The index is a stable key, because the content never changes while it is shown.
    const key = `${index}`
    if (block.kind === 'paragraph')
      return (
        <p key={key}>
          <Text inline={block.inline} />
        </p>
      )
    const List = block.isOrdered ? 'ol' : 'ul'
    return (
      <List key={key}>
        {block.items.map((item, itemIndex) => {
          const itemKey = `${itemIndex}`
          return (
            <li key={itemKey}>
              <Text inline={item} />
            </li>
          )
        })}
      </List>
    )
  })
}

function Text({ inline }: { inline: Inline[] }) {
  return inline.map(({ text, as, href }, index) => {
    const key = `${index}`
    if (as === 'bold') return <strong key={key}>{text}</strong>
    if (as === 'code') return <code key={key}>{text}</code>
    if (!href) return text
    return (
      <AnyLink key={key} href={href}>
        {text}
      </AnyLink>
    )
  })
}
