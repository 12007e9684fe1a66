import { Search } from 'lucide-react'
import { useEffect, useState } from 'react'
import source from '#content/help.md?raw'
import { type ContentSection, plainText } from '#contract/markdown.ts'
import { useContent } from '#web/api/page-texts.ts'
import { useSettings } from '#web/api/settings.tsx'
import { Blocks } from '#web/ui/blocks.tsx'
import { Input } from '#web/ui/input.tsx'
import { Container, PageHeading } from '#web/ui/page.tsx'

/** Topics with only the questions that apply in this shop. `searchText` is lower case. */
const topicsFor = (sections: ContentSection[], consumerLaw: string) =>
  sections.map((section) => ({
    ...section,
    questions: section.parts
      .filter(({ only }) => only === undefined || only === consumerLaw)
      .map((part) => ({
        ...part,
        searchText: `${section.title} ${part.title} ${plainText(part.blocks)}`.toLowerCase(),
      })),
  }))
type Topics = ReturnType<typeof topicsFor>

const splitWords = (typed: string) => typed.toLowerCase().split(/\s+/).filter(Boolean)

type SearchableQuestion = { searchText: string }

function filterQuestions(topics: Topics, isMatch: (question: SearchableQuestion) => boolean) {
  return topics
    .map((topic) => ({ ...topic, questions: topic.questions.filter(isMatch) }))
    .filter(({ questions }) => questions.length > 0)
}

/** Finds the questions that contain the most of the typed words, by their first four letters: "refunding" matches "refund". */
function findNearest(topics: Topics, typed: string) {
  const beginnings = splitWords(typed).map((word) => word.slice(0, 4))
  const countMatches = ({ searchText }: SearchableQuestion) =>
    beginnings.filter((beginning) => searchText.includes(beginning)).length
  const maxMatches = Math.max(...topics.flatMap(({ questions }) => questions.map(countMatches)))
  return maxMatches > 0 ? filterQuestions(topics, (question) => countMatches(question) === maxMatches) : []
}

function useOpenLinkedAnswer() {
  useEffect(() => {
    const openLinked = () => {
      const linked = document.getElementById(location.hash.slice(1))
      if (!(linked instanceof HTMLDetailsElement)) return
      linked.open = true
      linked.scrollIntoView()
    }
    openLinked()
    addEventListener('hashchange', openLinked)
    return () => removeEventListener('hashchange', openLinked)
  }, [])
}

export default function HelpPage() {
  const { supportEmail, consumerLaw } = useSettings()
  const { title, lead, sections } = useContent(source)
  const topics = topicsFor(sections, consumerLaw)
  const [typed, setTyped] = useState('')
  const exactTopics = filterQuestions(topics, ({ searchText }) =>
    splitWords(typed).every((word) => searchText.includes(word)),
  )
  const visibleTopics = exactTopics.length > 0 ? exactTopics : findNearest(topics, typed)
  const count = visibleTopics.reduce((sum, { questions }) => sum + questions.length, 0)
  useOpenLinkedAnswer()
  const answerCount = count === 1 ? '1 answer' : `${count} answers`
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
          {typed && (exactTopics.length > 0 ? `${answerCount} found` : `Nothing found for “${typed}”.`)}
          {count > 0 && exactTopics.length === 0 && ` The nearest: ${answerCount}.`}
        </p>
      </PageHeading>
      <Container className="flex flex-col gap-12">
        {visibleTopics.map((topic) => (
          <section key={topic.id} id={topic.id} className="grid gap-x-16 gap-y-4 lg:grid-cols-[15rem_minmax(0,1fr)]">
            <h2 className="text-xl lg:sticky lg:top-24 lg:self-start">{topic.title}</h2>
            <div className="divide-y divide-line border-y border-line">
              {topic.questions.map((question) => (
                <details
                  key={question.id}
                  id={question.id}
                  // Opens one or two answers; undefined leaves longer lists to the visitor.
                  open={count <= 2 || undefined}
                  className="group"
                >
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
