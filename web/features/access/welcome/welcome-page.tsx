import type { ReactNode } from 'react'
import { accessPromise } from '#contract/access/promise.ts'
import { useListName, useSettings } from '#web/api/settings.tsx'
import { OpenIndicator, useAccess } from '#web/features/access/access-form/open-indicator.tsx'
import { Arrow } from '#web/ui/arrow.tsx'
import { type Href, Link } from '#web/ui/navigation.tsx'
import { Container } from '#web/ui/page.tsx'

export default function WelcomePage() {
  const ownAccess = useAccess().data?.[0]
  const { products } = useSettings()
  const product = products.find(({ slug }) => slug === ownAccess?.product) ?? products[0]
  const promise = accessPromise(ownAccess ?? product)
  const listName = useListName()
  const isUnlocked = ownAccess?.state === 'unlocked'
  return (
    <Container className="grid gap-x-16 gap-y-10 py-14 sm:py-20 lg:grid-cols-[1fr_1.2fr]">
      <header className="flex flex-col items-start gap-5">
        <h1 className="text-3xl">Welcome to {product.name}</h1>
        <div role="status" className="flex flex-col gap-3">
          {isUnlocked && <h2 className="text-xl break-words">{ownAccess.username} is unlocked</h2>}
          <p className={isUnlocked ? 'text-sm text-muted' : 'text-lg text-muted'}>
            {promise} {!isUnlocked && 'Until then, here’s where to start.'}
          </p>
        </div>
      </header>
      <ol className="divide-y divide-line border-y border-line">
        {isUnlocked && (
          <Step number={1} title="Open the indicator" text="Add it to a daily chart on TradingView.">
            <OpenIndicator product={ownAccess.product} />
          </Step>
        )}
        <Step
          number={isUnlocked ? 2 : 1}
          href="/setup-guide"
          title="Setup Guide"
          text="Six steps from access to your first signal. It takes about five minutes."
        />
        <Step
          number={isUnlocked ? 3 : 2}
          href="/dashboard"
          title="Dashboard"
          text={`Your subscription, invoices, access status, and the ${listName}.`}
        />
      </ol>
    </Container>
  )
}

function Step(props: { number: number; title: string; text: string; href?: Href; children?: ReactNode }) {
  const { number, title, text, href, children } = props
  const content = (
    <>
      <span className="font-mono text-sm text-muted">{number}</span>
      <span className="flex grow flex-col gap-1">
        <span className="text-lg font-semibold tracking-tight">{title}</span>
        <span className="text-muted">{text}</span>
      </span>
    </>
  )
  return (
    <li>
      {href ? (
        <Link href={href} className="group flex items-baseline gap-5 py-6">
          {content}
          <Arrow />
        </Link>
      ) : (
        <div className="flex items-baseline gap-5 py-6">
          {content}
          {children}
        </div>
      )}
    </li>
  )
}
