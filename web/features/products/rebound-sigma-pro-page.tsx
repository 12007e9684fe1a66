import {
  ArrowDown,
  CalendarRange,
  ChartCandlestick,
  Crosshair,
  FlaskConical,
  Funnel,
  LayoutDashboard,
  ListChecks,
  LockKeyhole,
  MessageCircle,
  NotebookPen,
  RefreshCw,
  ScrollText,
  ShieldCheck,
} from 'lucide-react'
import { reboundSigmaPro } from '#contract/catalog.ts'
import { Accordion } from '#web/ui/accordion.tsx'
import { ButtonLink } from '#web/ui/button.tsx'
import { dollars } from '#web/ui/money.ts'
import { Container } from '#web/ui/page.tsx'
import { Eyebrow, Section } from '#web/ui/section.tsx'
import { ExplorableChart } from '../chart/explorable-chart.tsx'
import { checkoutAddress, Pricing } from './pricing.tsx'
import { benefits, contents, questions, steps } from './rebound-sigma-pro.ts'

const benefitIcons = [Crosshair, CalendarRange, ChartCandlestick, FlaskConical, Funnel, RefreshCw]
const contentIcons = [
  LockKeyhole,
  FlaskConical,
  ListChecks,
  LayoutDashboard,
  NotebookPen,
  ScrollText,
  RefreshCw,
  MessageCircle,
]

export default function ReboundSigmaProPage() {
  return (
    <>
      <Hero />
      <Section
        eyebrow="Key benefits"
        title="What a rule does for you"
        lead="Six reasons to let conditions decide, and keep your judgement for what they cannot know."
      >
        <ul className="grid gap-x-10 gap-y-12 sm:grid-cols-2 lg:grid-cols-3">
          {benefits.map(({ title, text }, index) => {
            const Icon = benefitIcons[index] ?? ShieldCheck
            return (
              <li key={title} className="flex flex-col gap-3">
                <Icon aria-hidden="true" className="size-6 text-accent" strokeWidth="1.75" />
                <h3 className="text-xl">{title}</h3>
                <p className="text-muted">{text}</p>
              </li>
            )
          })}
        </ul>
      </Section>
      <Section
        id="how-it-works"
        eyebrow="How it works"
        title="Pullback, entry, exit"
        lead="Three steps, on daily candles, the same every time."
        className="border-y border-line bg-surface"
      >
        <ol className="grid gap-10 md:grid-cols-3">
          {steps.map(({ title, text }, index) => (
            <li key={title} className="flex flex-col gap-3 border-t border-line pt-6">
              <span className="font-mono text-sm font-medium text-accent">Step {index + 1}</span>
              <h3 className="text-xl">{title}</h3>
              <p className="text-muted">{text}</p>
            </li>
          ))}
        </ol>
      </Section>
      <Section
        eyebrow="Example chart"
        title="What you see on your chart"
        lead="Drawn from made-up prices, to show the signals and not results. One of the three trades ends at a loss, because some do."
      >
        <ExplorableChart />
      </Section>
      <Section eyebrow="What You Get" title="One subscription, the whole package">
        <ul className="grid gap-4 sm:grid-cols-2 lg:grid-cols-4">
          {contents.map(({ title, text }, index) => {
            const Icon = contentIcons[index] ?? ShieldCheck
            return (
              <li
                key={title}
                className="flex flex-col gap-3 rounded-lg border border-line bg-surface p-6 shadow-card"
              >
                <span className="grid size-10 place-items-center rounded-md bg-accent-soft text-accent-strong">
                  <Icon aria-hidden="true" className="size-5" />
                </span>
                <h3 className="mt-2 text-lg">{title}</h3>
                <p className="text-sm text-muted">{text}</p>
              </li>
            )
          })}
        </ul>
      </Section>
      <Section
        id="pricing"
        eyebrow="Early-access pricing"
        title="The early-access price"
        lead="For those who join now. Paid by card, cancelled in your dashboard whenever you like."
        className="border-y border-line bg-surface"
      >
        <Pricing />
      </Section>
      <Section eyebrow="FAQ" title="Questions and answers">
        <Accordion items={questions.map(({ question, answer }) => ({ title: question, content: answer }))} />
      </Section>
    </>
  )
}

function Hero() {
  return (
    <div className="hero border-b border-line">
      <Container className="flex flex-col items-start gap-7 py-16 sm:py-24">
        <Eyebrow>Invite-only indicator for TradingView</Eyebrow>
        <h1 className="max-w-4xl text-4xl">Rebound Sigma Pro</h1>
        <p className="max-w-2xl text-lg text-muted sm:text-xl">
          Short-term rebound signals for stocks and ETFs, with an entry and an exit for each trade, a strategy
          version for your own backtests, and a list of symbols that is reviewed at least once a month.
        </p>
        <div className="flex flex-wrap gap-3">
          <ButtonLink href={checkoutAddress('monthly')} size="lg">
            Get Access - {dollars(reboundSigmaPro.monthlyPrice)} per month
          </ButtonLink>
          <ButtonLink href="#how-it-works" size="lg" look="secondary">
            Learn How It Works
            <ArrowDown aria-hidden="true" className="size-4.5" />
          </ButtonLink>
        </div>
      </Container>
    </div>
  )
}
