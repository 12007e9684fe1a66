import { ArrowUpRight, ChartCandlestick, ChevronDown, FlaskConical, LockKeyhole, type LucideIcon } from 'lucide-react'
import { type ReactNode, useEffect } from 'react'
import { access } from '#contract/access/access.ts'
import { privatePackage } from '#contract/access/package.ts'
import type { ListedProduct } from '#contract/selling/product.ts'
import { useData } from '#web/api/client.ts'
import { Pending } from '#web/ui/card.tsx'
import { classes } from '#web/ui/classes.ts'
import { Link } from '#web/ui/navigation.tsx'
import { attempt } from '#web/ui/store.ts'
import { DashboardSection } from './dashboard-section.tsx'
import { RecommendedAssets } from './recommended-assets.tsx'

export default function OwnedContents({ ownedProducts }: { ownedProducts: ListedProduct[] }) {
  return (
    <>
      {ownedProducts.some(({ list }) => list) && <RecommendedAssets />}
      {ownedProducts.map((product) => (
        <PrivatePackage
          key={product.slug}
          title={ownedProducts.length > 1 ? `Your Package: ${product.name}` : 'Your Package'}
          slug={product.slug}
        />
      ))}
    </>
  )
}

function PrivatePackage({ title, slug }: { title: string; slug: string }) {
  return (
    <DashboardSection
      title={title}
      description={
        <>
          New here? The{' '}
          <Link href="/setup-guide" className="font-medium text-ink underline decoration-field underline-offset-4">
            setup guide
          </Link>{' '}
          takes five minutes.
        </>
      }
    >
      <PackageContents slug={slug} />
    </DashboardSection>
  )
}

/** True until the instructions have been shown once. Read when the page loads, because showing them stores the value. */
const isFirstVisit = !attempt(() => localStorage.getItem('instructions'))

const scripts = [
  { icon: ChartCandlestick, title: 'Indicator', text: 'Invite-only, for your daily charts', urlField: 'indicatorUrl' },
  { icon: FlaskConical, title: 'Strategy', text: 'The same rules, ready for backtests', urlField: 'strategyUrl' },
] as const

function PackageContents({ slug }: { slug: string }) {
  const query = useData(privatePackage.show, { product: slug })
  const { data } = query
  const { data: accessRows } = useData(access.mine, {})
  const isUnlocked = accessRows?.some(({ product, state }) => product === slug && state === 'unlocked') ?? false
  useEffect(() => {
    if (data) attempt(() => localStorage.setItem('instructions', 'read'))
  }, [data])
  if (!data) return <Pending query={query} what="your package" className="h-72" />
  return (
    <div className="grid gap-4 lg:grid-cols-2">
      {scripts.map(({ urlField, ...script }) => {
        const url = data[urlField]
        return url && <ScriptLink key={urlField} {...script} href={url} isUnlocked={isUnlocked} />
      })}
      <Foldable title="Quick Instructions" isOpen={isFirstVisit}>
        <ol className="flex list-decimal flex-col gap-2.5 pl-5 text-muted marker:font-mono marker:text-sm marker:text-muted">
          {data.quickInstructions.map((instruction) => (
            <li key={instruction} className="pl-1.5">
              {instruction}
            </li>
          ))}
        </ol>
      </Foldable>
      <Foldable title="Setup Notes" isOpen={isFirstVisit}>
        <ul className="flex list-disc flex-col gap-2.5 pl-5 text-muted marker:text-muted">
          {data.setupNotes.map((note) => (
            <li key={note} className="pl-1.5">
              {note}
            </li>
          ))}
        </ul>
      </Foldable>
    </div>
  )
}

function Foldable({ title, isOpen, children }: { title: string; isOpen: boolean; children: ReactNode }) {
  return (
    <details open={isOpen} className="group self-start rounded-lg border border-line bg-surface shadow-card">
      <summary className="flex cursor-pointer items-center justify-between gap-4 px-6 py-4">
        <h3 className="text-lg">{title}</h3>
        <ChevronDown className="shrink-0 size-5 text-muted transition-transform group-open:rotate-180" />
      </summary>
      <div className="px-6 pb-6">{children}</div>
    </details>
  )
}

/** Looks disabled until access is unlocked, because TradingView only shows a locked script before that. */
function ScriptLink(props: { icon: LucideIcon; title: string; text: string; href: string; isUnlocked: boolean }) {
  const { icon: Picture, title, text, href, isUnlocked } = props
  return (
    <a
      href={href}
      target="_blank"
      rel="noreferrer"
      className={classes(
        'group flex items-center gap-4 rounded-lg border p-5 transition-colors hover:border-accent sm:p-6',
        isUnlocked ? 'border-line bg-surface shadow-card' : 'border-dashed border-field',
      )}
    >
      <span
        className={classes(
          'grid size-11 shrink-0 place-items-center rounded-md',
          isUnlocked ? 'bg-line/60 text-ink' : 'bg-line text-muted',
        )}
      >
        <Picture className="size-5.5" strokeWidth={1.75} />
      </span>
      <span className="flex min-w-0 flex-1 flex-col">
        <span className="font-semibold">{title}</span>
        <span className="text-sm text-muted">{isUnlocked ? text : 'Opens once your access is unlocked'}</span>
      </span>
      <span className="sr-only">on TradingView, in a new tab</span>
      {isUnlocked ? (
        <ArrowUpRight className="size-5 shrink-0 text-muted transition-[color,translate] group-hover:translate-x-0.5 group-hover:-translate-y-0.5 group-hover:text-accent" />
      ) : (
        <LockKeyhole className="size-5 shrink-0 text-muted" />
      )}
    </a>
  )
}
