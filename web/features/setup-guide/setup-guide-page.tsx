import { ArrowLeft, Clock, Mail } from 'lucide-react'
import type { ReactNode } from 'react'
import { useSettings } from '#web/api/settings.tsx'
import { ButtonLink } from '#web/ui/button.tsx'
import { Link } from '#web/ui/navigation.tsx'
import { Container } from '#web/ui/page.tsx'
import { Eyebrow } from '#web/ui/section.tsx'

const inText = 'font-medium text-ink underline decoration-accent underline-offset-4'

const steps: { title: string; text: ReactNode }[] = [
  {
    title: 'Access the tools',
    text: (
      <>
        Once your access is active, open the indicator and strategy links on your{' '}
        <Link href="/dashboard" className={inText}>
          dashboard
        </Link>{' '}
        while you’re logged in to TradingView. You’ll also find both there under Indicators, Invite-only
        scripts.
      </>
    ),
  },
  {
    title: 'Add the indicator to a daily chart',
    text: 'Open a stock or ETF, set the chart to one day, and add Rebound Sigma Pro. The default settings are the ones we use.',
  },
  {
    title: 'Load the strategy for backtesting',
    text: 'Add the strategy version to the same chart and open the Strategy Tester. It runs the same rules on the symbol’s history, so you can see what to expect before you rely on it.',
  },
  {
    title: 'Review the Rebound List',
    text: 'The list on your dashboard is revalidated every month. Export it as a watchlist, import it into TradingView, and you have every symbol at hand.',
  },
  {
    title: 'Observe the first signal',
    text: 'Wait for a signal at the close of a daily candle, then watch the entry and exit play out; a trade typically lasts 2–5 days. You don’t have to trade the first one.',
  },
  {
    title: 'Next steps',
    text: 'Create alerts for the symbols you follow, set to trigger once per bar close. Come back each month for the updated list.',
  },
]

export default function SetupGuidePage() {
  const { supportEmail } = useSettings()
  return (
    <>
      <div className="hero border-b border-line">
        <Container className="flex flex-col items-start gap-6 pt-10 pb-14 sm:pt-14 sm:pb-16">
          <Link
            href="/dashboard"
            lang="de"
            className="-ml-1 inline-flex items-center gap-2 rounded-sm p-1 text-sm font-medium text-muted hover:text-ink"
          >
            <ArrowLeft aria-hidden="true" className="size-4" />
            Zurück zum Dashboard
          </Link>
          <Eyebrow>Setup guide</Eyebrow>
          <h1 className="text-3xl">From access to your first signal</h1>
          <p className="inline-flex items-center gap-2 text-lg text-muted">
            <Clock aria-hidden="true" className="size-5 text-accent" />
            Estimated time: 5 minutes
          </p>
        </Container>
      </div>
      <Container className="grid gap-12 py-14 sm:py-20 lg:grid-cols-[1fr_20rem]">
        <ol className="flex flex-col">
          {steps.map(({ title, text }, index) => (
            <li key={title} className="group relative flex gap-5 pb-10 last:pb-0 sm:gap-7">
              <span
                aria-hidden="true"
                className="absolute top-11 bottom-1 left-5 w-px bg-line group-last:hidden"
              />
              <span
                aria-hidden="true"
                className="grid size-10 shrink-0 place-items-center rounded-full border border-line bg-surface font-mono text-sm font-medium text-accent"
              >
                {index + 1}
              </span>
              <div className="flex min-w-0 flex-col gap-2 pt-1">
                <h2 className="text-xl">{title}</h2>
                <p className="max-w-prose text-muted">{text}</p>
              </div>
            </li>
          ))}
        </ol>
        <aside className="flex flex-col items-start gap-4 self-start rounded-lg border border-line bg-surface p-6 shadow-card lg:sticky lg:top-24">
          <h2 className="text-lg">Stuck on a step?</h2>
          <p className="text-muted">The person who wrote the rules answers your email.</p>
          <a
            href={`mailto:${supportEmail}`}
            className="inline-flex max-w-full items-center gap-2 font-medium break-all text-accent underline-offset-4 hover:underline"
          >
            <Mail aria-hidden="true" className="size-5 shrink-0" />
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
