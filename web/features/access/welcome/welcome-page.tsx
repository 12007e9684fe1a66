import { BookOpen, CircleCheck, LayoutDashboard, type LucideIcon } from 'lucide-react'
import type { OwnAccess } from '#contract/access/access.ts'
import { whenAccessComes } from '#contract/access/promise.ts'
import { useListName, useSettings } from '#web/api/settings.tsx'
import { OpenIndicator, useAccess } from '#web/features/access/access-form/open-indicator.tsx'
import { Arrow } from '#web/ui/arrow.tsx'
import { type Href, Link } from '#web/ui/navigation.tsx'
import { Container } from '#web/ui/page.tsx'

export default function WelcomePage() {
  const mine = useAccess().data?.[0]
  const { products } = useSettings()
  const product = products.find(({ slug }) => slug === mine?.product) ?? products[0]
  return (
    <div className="hero">
      <Container className="flex flex-col items-center gap-12 py-16 sm:py-24">
        <header className="flex max-w-2xl flex-col items-center gap-5 text-center">
          <span className="grid size-14 place-items-center rounded-full bg-accent-soft text-accent-strong">
            <CircleCheck className="size-7" strokeWidth={1.75} />
          </span>
          <h1 className="text-3xl">Welcome to {product.name}</h1>
          <p role="status" className="text-lg text-muted">
            <Activation mine={mine} promise={whenAccessComes(mine ?? product)} />
          </p>
          {mine?.state === 'unlocked' && (
            <div>
              <OpenIndicator product={mine.product} />
            </div>
          )}
        </header>
        <ul className="grid w-full max-w-3xl gap-4 sm:grid-cols-2">
          <NextStep
            href="/setup-guide"
            icon={BookOpen}
            title="Setup Guide"
            text="Six steps from access to your first signal. It takes about five minutes."
          />
          <NextStep
            href="/dashboard"
            icon={LayoutDashboard}
            title="Dashboard"
            text={`Your subscription, invoices, access status, and the ${useListName()}.`}
          />
        </ul>
      </Container>
    </div>
  )
}

/** The promise stays what it is, also for those who have their access already. */
function Activation({ mine, promise }: { mine: OwnAccess | undefined; promise: string }) {
  if (mine?.state !== 'unlocked') return <>{promise} Until then, here’s where to start.</>
  return (
    <>
      {promise} Yours is ready: <strong className="font-semibold text-ink">{mine.username}</strong> is unlocked.
    </>
  )
}

function NextStep(props: { href: Href; icon: LucideIcon; title: string; text: string }) {
  const { href, icon: Picture, title, text } = props
  return (
    <li>
      <Link
        href={href}
        className="group flex h-full flex-col items-start gap-3 rounded-lg border border-line bg-surface p-6 shadow-card transition-colors hover:border-accent"
      >
        <span className="grid size-10 place-items-center rounded-md bg-accent-soft text-accent-strong">
          <Picture className="size-5" strokeWidth={1.75} />
        </span>
        <span className="mt-2 flex items-center gap-2 text-lg font-semibold tracking-tight">
          {title}
          <Arrow />
        </span>
        <span className="text-muted">{text}</span>
      </Link>
    </li>
  )
}
