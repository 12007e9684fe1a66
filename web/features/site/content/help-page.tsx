import { Search } from 'lucide-react'
import { useEffect, useState } from 'react'
import source from '#content/help.md?raw'
import { type ContentSection, plainText } from '#contract/markdown.ts'
import { useContent } from '#web/api/page-texts.ts'
import { useSettings } from '#web/api/settings.tsx'
import { Blocks } from '#web/ui/blocks.tsx'
import { Input } from '#web/ui/input.tsx'
import { Container, PageHeading } from '#web/ui/page.tsx'

const topicsFor = (sections: ContentSection[], consumerLaw: string) =>
  sections.map((section) => ({
    ...section,
    questions: section.parts
      .filter(({ only }) => only === undefined || only === consumerLaw)
      .map((part) => ({ ...part, words: `${section.title} ${part.title} ${plainText(part.blocks)}`.toLowerCase() })),
  }))
type Topics = ReturnType<typeof topicsFor>

const wordsOf = (typed: string) => typed.toLowerCase().split(/\s+/).filter(Boolean)

function find(topics: Topics, isFound: (question: { words: string }) => boolean) {
  return topics
    .map((topic) => ({ ...topic, questions: topic.questions.filter(isFound) }))
    .filter(({ questions }) => questions.length > 0)
}

/** Finds the questions that share the most word beginnings: "refunding" matches "refund". */
function nearest(topics: Topics, typed: string) {
  const beginnings = wordsOf(typed).map((word) => word.slice(0, 4))
  const shared = ({ words }: { words: string }) => beginnings.filter((each) => words.includes(each)).length
  const most = Math.max(...topics.flatMap(({ questions }) => questions.map(shared)))
  return most > 0 ? find(topics, (question) => shared(question) === most) : []
}

/** Opens the answer that the address names. */
function useOpenLinkedAnswer() {
  useEffect(() => {
    const open = () => {
      const linked = document.getElementById(location.hash.slice(1))
      if (!(linked instanceof HTMLDetailsElement)) return
      linked.open = true
      linked.scrollIntoView()
    }
    open()
    addEventListener('hashchange', open)
    return () => removeEventListener('hashchange', open)
  }, [])
}

export default function HelpPage() {
  const { supportEmail, consumerLaw } = useSettings()
  const { title, lead, sections } = useContent(source)
  const topics = topicsFor(sections, consumerLaw)
  const [typed, setTyped] = useState('')
  const exact = find(topics, ({ words }) => wordsOf(typed).every((word) => words.includes(word)))
  const found = exact.length > 0 ? exact : nearest(topics, typed)
  const count = found.reduce((sum, { questions }) => sum + questions.length, 0)
  useOpenLinkedAnswer()
  const answers = count === 1 ? '1 answer' : `${count} answers`
  return (
    <>
      <PageHeading title={title} description={lead}>
        <search className="relative mt-2 max-w-xl">
          <Search
            aria-hidden="true"
            className="pointer-events-none absolute top-1/2 left-3.5 size-5 -translate-y-1/2 text-muted"
          />
          <Input
            type="search"
            aria-label="Search the answers"
            placeholder="indicator, alert, invoice …"
            className="pl-11"
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
          />
        </search>
        <p aria-live="polite" className="min-h-6 text-sm text-muted">
          {typed && (exact.length > 0 ? `${answers} found` : `Nothing found for “${typed}”.`)}
          {count > 0 && exact.length === 0 && ` The nearest: ${answers}.`}
        </p>
      </PageHeading>
      <Container className="flex flex-col gap-12">
        {found.map((topic) => (
          <section key={topic.id} id={topic.id} className="grid gap-x-16 gap-y-4 lg:grid-cols-[15rem_minmax(0,1fr)]">
            <h2 className="text-xl lg:sticky lg:top-24 lg:self-start">{topic.title}</h2>
            <div className="divide-y divide-line border-y border-line">
              {topic.questions.map((question) => (
                <details key={question.id} id={question.id} open={count <= 2 || undefined} className="group">
                  <summary className="flex cursor-pointer list-none items-center justify-between gap-6 py-4 font-medium">
                    <h3 className="text-base">{question.title}</h3>
                    <span
                      aria-hidden="true"
                      className="text-xl leading-none text-muted transition-transform duration-200 group-open:rotate-45"
                    >
                      +
                    </span>
                  </summary>
                  <div className="legal max-w-prose pb-6">
                    <Blocks blocks={question.blocks} />
                  </div>
                </details>
              ))}
            </div>
          </section>
        ))}
        <p className="text-muted">
          Still stuck? Write to{' '}
          <a href={`mailto:${supportEmail}`} className="font-medium text-ink underline decoration-accent">
            {supportEmail}
          </a>{' '}
          and the person who wrote the rules will answer.
        </p>
      </Container>
    </>
  )
}
