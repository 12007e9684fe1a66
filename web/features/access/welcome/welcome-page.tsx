import { BookOpen, CircleCheck, LayoutDashboard, type LucideIcon } from 'lucide-react'
import { access } from '#contract/access/access.ts'
import { useData } from '#web/api/use-data.ts'
import { Icon } from '#web/ui/icon.tsx'
import { type Href, Link } from '#web/ui/navigation.tsx'
import { Container } from '#web/ui/page.tsx'

export default function WelcomePage() {
  return (
    <div className="hero">
      <Container className="flex flex-col items-center gap-12 py-16 sm:py-24">
        <header className="flex max-w-2xl flex-col items-center gap-5 text-center">
          <span className="grid size-14 place-items-center rounded-full bg-accent-soft text-accent-strong">
            <CircleCheck aria-hidden="true" className="size-7" strokeWidth={1.75} />
          </span>
          <h1 className="text-3xl">Welcome to Rebound Sigma Pro</h1>
          <p role="status" className="text-lg text-muted">
            <Activation />
          </p>
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
            text="Your subscription, invoices, access status, and the Rebound List."
          />
        </ul>
      </Container>
    </div>
  )
}

/** The promise stays what it is; most are faster. */
function Activation() {
  const { data } = useData(
    access.mine,
    {},
    { refetchInterval: (now) => now?.[0]?.state === 'unlocking' && 1000 },
  )
  const mine = data?.[0]
  if (mine?.state === 'unlocked')
    return (
      <>
        Access is activated within 24 hours, and an email follows. Yours is ready:{' '}
        <strong className="font-semibold text-ink">{mine.username}</strong> is unlocked. Here’s where to
        start.
      </>
    )
  return (
    <>
      Your access is activated within 24 hours{mine?.state === 'unlocking' && ', usually within seconds'}, and
      an email follows as soon as it’s ready. Until then, here’s where to start.
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
          <Picture aria-hidden="true" className="size-5" strokeWidth={1.75} />
        </span>
        <span className="mt-2 flex items-center gap-2 text-lg font-semibold tracking-tight">
          {title}
          <Icon
            name="arrow"
            className="size-4.5 transition-transform duration-300 group-hover:translate-x-1"
          />
        </span>
        <span className="text-muted">{text}</span>
      </Link>
    </li>
  )
}
