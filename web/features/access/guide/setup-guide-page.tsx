import { ArrowLeft, Clock, Mail } from 'lucide-react'
import { useState } from 'react'
import source from '#content/setup-guide.md?raw'
import { useContent } from '#web/api/page-texts.ts'
import { useSettings } from '#web/api/settings.tsx'
import { OpenIndicator, useAccess } from '#web/features/access/access-form/open-indicator.tsx'
import { Blocks } from '#web/ui/blocks.tsx'
import { ButtonLink } from '#web/ui/button.tsx'
import { Link } from '#web/ui/navigation.tsx'
import { Container, Eyebrow } from '#web/ui/page.tsx'
import { attempt } from '#web/ui/store.ts'
import { StepDrawing } from './step-drawing.tsx'

export default function SetupGuidePage() {
  const { supportEmail } = useSettings()
  const { title: heading, sections: steps } = useContent(source)
  const { doneSteps, toggle } = useDoneSteps()
  const unlockedAccess = useAccess().data?.find(({ state }) => state === 'unlocked')
  return (
    <>
      <div className="border-b border-line">
        <Container className="flex flex-col items-start gap-6 pt-10 pb-14 sm:pt-14 sm:pb-16">
          <Link
            href="/dashboard"
            lang="de"
            className="-ml-1 inline-flex items-center gap-2 rounded-sm p-1 text-sm font-medium text-muted hover:text-ink"
          >
            <ArrowLeft className="size-4" />
            Zurück zum Dashboard
          </Link>
          <Eyebrow>Setup guide</Eyebrow>
          <h1 className="text-3xl">{heading}</h1>
          <p className="inline-flex items-center gap-2 text-lg text-muted">
            <Clock aria-hidden="true" className="size-5" />
            Estimated time: 5 minutes
          </p>
        </Container>
      </div>
      <Container className="grid gap-12 py-14 sm:py-20 lg:grid-cols-[1fr_20rem]">
        <ol className="flex flex-col">
          {steps.map(({ title, blocks }, index) => (
            <li key={title} className="group relative flex gap-5 pb-10 last:pb-0 sm:gap-7">
              <span aria-hidden="true" className="absolute top-11 bottom-1 left-5 w-px bg-line group-last:hidden" />
              <label className="group/tick grid size-10 shrink-0 cursor-pointer place-items-center rounded-full border border-line bg-surface font-mono text-sm has-checked:border-ink has-checked:bg-ink has-checked:text-ground has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent">
                <input
                  type="checkbox"
                  checked={doneSteps.has(index)}
                  onChange={() => toggle(index)}
                  aria-label={`Step ${index + 1} is done`}
                  className="sr-only"
                />
                <span aria-hidden="true">{doneSteps.has(index) ? '✓' : index + 1}</span>
              </label>
              <div className="grid min-w-0 flex-1 gap-x-10 gap-y-4 pt-1 sm:grid-cols-[minmax(0,1fr)_13rem]">
                <div>
                  <div className="legal">
                    <h2>{title}</h2>
                    <Blocks blocks={blocks} />
                  </div>
                  {index === 0 && unlockedAccess && (
                    <div className="mt-4">
                      <OpenIndicator product={unlockedAccess.product} />
                    </div>
                  )}
                </div>
                <StepDrawing step={index} />
              </div>
            </li>
          ))}
        </ol>
        <aside className="flex flex-col items-start gap-4 self-start rounded-lg border border-line bg-surface p-6 shadow-card lg:sticky lg:top-24">
          <h2 className="text-xl">Stuck on a step?</h2>
          <p className="text-muted">The person who wrote the rules answers your email.</p>
          <a
            href={`mailto:${supportEmail}`}
            className="inline-flex max-w-full items-center gap-2 font-medium wrap-anywhere underline decoration-line underline-offset-4 hover:decoration-accent"
          >
            <Mail className="size-5 shrink-0" />
            {supportEmail}
          </a>
          <ButtonLink href="/dashboard" className="mt-2 w-full">
            Go to Dashboard
          </ButtonLink>
        </aside>
      </Container>
    </>
  )
}

const doneStepsKey = 'setup-guide-done'

function useDoneSteps() {
  const [doneSteps, setDoneSteps] = useState(
    () => new Set<number>(JSON.parse(attempt(() => localStorage.getItem(doneStepsKey)) ?? '[]')),
  )
  function toggle(step: number) {
    const newDoneSteps = new Set(doneSteps)
    if (doneSteps.has(step)) newDoneSteps.delete(step)
    else newDoneSteps.add(step)
    setDoneSteps(newDoneSteps)
    attempt(() => localStorage.setItem(doneStepsKey, JSON.stringify([...newDoneSteps])))
  }
  return { doneSteps, toggle }
}
