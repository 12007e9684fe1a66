import { type ReactNode, useId } from 'react'
import { brand } from '#contract/brand.ts'
import { isList, type LegalBlock, piecesOf, type Words } from '#contract/selling/legal/text.ts'
import { useSettings } from '#web/api/settings.tsx'
import { Day } from '#web/ui/day.tsx'
import { AnyLink } from '#web/ui/navigation.tsx'
import { Container } from '#web/ui/page.tsx'

export type LegalSection = { id: string; title: string; blocks?: LegalBlock[]; content?: ReactNode }

export function LegalText(props: {
  title: string
  lead: string
  /** ISO date of the last change. Without it, the page is no legal text, and sections have no numbers. */
  changedOn?: string
  aside?: ReactNode
  sections: LegalSection[]
}) {
  const { title, lead, changedOn, aside, sections } = props
  const contentsId = useId()
  return (
    <Container className="pt-14 sm:pt-20">
      <header className="flex flex-col gap-4 border-b border-line pb-10">
        <h1 className="text-3xl">{title}</h1>
        <p className="max-w-2xl text-lg text-muted">{lead}</p>
        {changedOn && (
          <p className="text-sm text-muted">
            Last changed on <Day value={changedOn} />
          </p>
        )}
        {aside}
      </header>
      <div className="grid gap-x-16 lg:grid-cols-[15rem_minmax(0,1fr)]">
        <nav aria-labelledby={contentsId} className="py-8 lg:sticky lg:top-16 lg:self-start lg:py-10">
          <h2 id={contentsId} className="mb-3 text-sm">
            Contents
          </h2>
          <ol className="flex flex-col gap-1 text-sm">
            {sections.map((section, index) => (
              <li key={section.id}>
                <a
                  href={`#${section.id}`}
                  className="flex gap-3 rounded-sm py-1 text-muted transition-colors hover:text-ink"
                >
                  {changedOn && <span className="w-5 shrink-0 text-right tabular-nums">{index + 1}</span>}
                  {section.title}
                </a>
              </li>
            ))}
          </ol>
        </nav>
        <div className="legal flex max-w-2xl flex-col gap-10 py-4 lg:py-10">
          {sections.map((section, index) => (
            <section key={section.id} id={section.id}>
              <h2>
                {changedOn && `${index + 1}. `}
                {section.title}
              </h2>
              {section.blocks && <LegalBlocks blocks={section.blocks} />}
              {section.content}
            </section>
          ))}
        </div>
      </div>
    </Container>
  )
}

function LegalBlocks({ blocks }: { blocks: LegalBlock[] }) {
  return blocks.map((block) => {
    if (!isList(block))
      return (
        <p key={keyOf(block)}>
          <Paragraph words={block} />
        </p>
      )
    return (
      <ul key={keyOf(block.list[0] ?? '')}>
        {block.list.map((item) => (
          <li key={keyOf(item)}>
            <Paragraph words={item} />
          </li>
        ))}
      </ul>
    )
  })
}

const keyOf = (words: Words) => piecesOf(words)[0]?.text

const Paragraph = ({ words }: { words: Words }) =>
  piecesOf(words).map(({ text, href }) =>
    href ? (
      <AnyLink key={href} href={href}>
        {text}
      </AnyLink>
    ) : (
      text
    ),
  )

export function SellerAddress() {
  const { seller } = useSettings()
  const lines = [seller.name || brand.name, seller.street, seller.city, seller.country].filter(Boolean)
  return (
    <address className="not-italic">
      {lines.map((line) => (
        <span key={line} className="block">
          {line}
        </span>
      ))}
    </address>
  )
}

export function SupportEmail() {
  const { supportEmail } = useSettings()
  return <a href={`mailto:${supportEmail}`}>{supportEmail}</a>
}
