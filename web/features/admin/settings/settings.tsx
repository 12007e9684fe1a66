import { Check, ChevronDown, CircleAlert, Info } from 'lucide-react'
import { type ReactNode, useCallback, useEffect, useState } from 'react'
import { checklist } from '#contract/admin/checklist.ts'
import { editableSettings, type Problem, type Setting, settings } from '#contract/admin/settings.ts'
import { stripeSetup } from '#contract/selling/stripe-setup.ts'
import { CallButton } from '#web/api/call-button.tsx'
import { useData } from '#web/api/client.ts'
import { useSettings } from '#web/api/settings.tsx'
import { Card, Pending } from '#web/ui/card.tsx'
import { classes } from '#web/ui/classes.ts'
import { Link } from '#web/ui/navigation.tsx'
import { Badge } from '#web/ui/notice.tsx'
import { Cell, HeadCell, Table } from '#web/ui/table.tsx'
import { toast } from '#web/ui/toast.tsx'
import { useUnsavedChanges } from '#web/ui/use-unsaved-changes.ts'
import { ChecklistLine } from '../overview/checklist.tsx'
import { EditableCard, groups } from './editable-card.tsx'
import { LinksCard } from './links-card.tsx'
import { PhotoField } from './photo-field.tsx'

export default function Settings() {
  const query = useData(settings.adminShow, {})
  const { data } = query
  const { setUnsaved } = useUnsavedChanges()
  // Titles of the cards with unsaved changes. Changed in place, because nothing on the screen shows them.
  const [changedCards] = useState(() => new Set<string>())
  const onChanged = useCallback(
    (title: string, isChanged: boolean) => {
      if (isChanged) changedCards.add(title)
      else changedCards.delete(title)
      setUnsaved(changedCards.size > 0)
    },
    [changedCards, setUnsaved],
  )
  const { data: checklistLines } = useData(checklist.adminShow, {})
  useScrollToField(data !== undefined)
  if (!data) return <Pending query={query} />
  return (
    <div className="grid grid-cols-1 items-start gap-6 lg:grid-cols-[10rem_minmax(0,1fr)]">
      <SectionLinks />
      <div className="flex max-w-4xl min-w-0 flex-col gap-6">
        {checklistLines === null ? <Problems problems={data.problems} /> : <ChecklistLine />}
        <section id="section_shop" className={anchorClasses}>
          <RelatedScreens />
        </section>
        {groups.map((group) => (
          <section key={group.title} id={sectionId(group.title)} className={anchorClasses}>
            <EditableCard group={group} settings={data.settings} onChanged={onChanged}>
              {group.hasPhoto && <PhotoField photo={data.photo} source={data.photoSource} />}
            </EditableCard>
          </section>
        ))}
        <section id="section_package_links" className={classes(anchorClasses, 'flex flex-col gap-6')}>
          {data.links.map((links) => (
            <LinksCard key={links.slug} links={links} onChanged={onChanged} />
          ))}
        </section>
        <section id="section_payments" className={anchorClasses}>
          <PaymentsCard />
        </section>
        <section id="section_email" className={anchorClasses}>
          <MailCard mailDestination={data.mailsGoTo} />
        </section>
        <section id="section_administrator" className={anchorClasses}>
          <EnvironmentSettings settings={data.settings} />
        </section>
      </div>
    </div>
  )
}

const anchorClasses = 'scroll-mt-24'
const sectionId = (title: string) => `section_${title.toLowerCase().replaceAll(' ', '_')}`
const sections = [
  'Shop',
  ...groups.map(({ title }) => title),
  'Package links',
  'Payments',
  'Email',
  'Administrator',
].map((title) => ({ title, id: sectionId(title) }))

function SectionLinks() {
  return (
    <nav aria-label="Sections" className="sticky top-24 flex flex-col text-sm max-lg:hidden">
      {sections.map(({ title, id }) => (
        <a key={id} href={`#${id}`} className="flex min-h-9 items-center text-muted hover:text-ink">
          {title}
        </a>
      ))}
    </nav>
  )
}

function RelatedScreens() {
  const links = [
    ['/admin/users', 'Team', 'Give someone a role under Users, “Change role”.'],
    ['/admin/purchases/prices', 'Prices and codes', 'What each plan costs, and discounts.'],
    ['/admin/purchases/at-stripe', 'Subscriptions at Stripe', 'Take over what you sold there before.'],
    ['/admin/access/connection', 'TradingView', 'Connect it, and choose the scripts of each product.'],
  ] as const
  return (
    <Card className="flex flex-col gap-4">
      <h2 className="text-lg">Shop</h2>
      <ul className="grid grid-cols-1 gap-3 text-sm sm:grid-cols-2">
        {links.map(([href, title, text]) => (
          <li key={href}>
            <Link href={href} className="font-medium underline underline-offset-4">
              {title}
            </Link>
            <span className="block text-muted">{text}</span>
          </li>
        ))}
        <li>
          <span className="font-medium">Name, color, logo and texts</span>
          <span className="block text-muted">Files that your administrator changes (docs/selling.md).</span>
        </li>
      </ul>
    </Card>
  )
}

/** Scrolls to the field that the address's hash names, because the checklist links to single fields. */
function useScrollToField(isReady: boolean) {
  useEffect(() => {
    const name = location.hash.slice(1)
    if (!isReady || !/^\w+$/.test(name)) return
    const target = document.querySelector<HTMLElement>(`[name="${name}"], #${name}`)
    target?.scrollIntoView({ block: name.startsWith('section') ? 'start' : 'center' })
    target?.focus({ preventScroll: true })
  }, [isReady])
}

function Problems({ problems }: { problems: Problem[] }) {
  if (problems.length === 0) return null
  return (
    <Card className="flex flex-col gap-4">
      <h2 className="flex items-center gap-3 text-lg">
        To fix <Badge tone="bad">{problems.length}</Badge>
      </h2>
      <ul className="flex flex-col gap-3">
        {problems.map(({ text, remedy, isUrgent }) => (
          <CheckLine key={text} state={isUrgent ? 'todo' : 'warning'}>
            <TextWithCode text={text} />{' '}
            <span className="text-muted">
              <TextWithCode text={remedy} />
            </span>
          </CheckLine>
        ))}
      </ul>
    </Card>
  )
}

function MailCard({ mailDestination }: { mailDestination: string }) {
  return (
    <Card className="flex flex-wrap items-center gap-x-6 gap-y-3">
      <div className="min-w-0 flex-1 basis-60">
        <h2 className="text-lg">Email</h2>
        <p className="text-sm break-words text-muted">Emails go to {mailDestination}.</p>
      </div>
      <CallButton
        call={settings.adminTestMail}
        input={{}}
        options={{
          failed: 'The test failed',
          onSuccess: ({ to }) => toast({ title: 'Test email sent', description: `Check the inbox of ${to}.` }),
        }}
        variant="secondary"
        pendingText="Sending..."
      >
        Send me a test email
      </CallButton>
    </Card>
  )
}

function CollapsibleCard(props: { title: string; badge?: ReactNode; open?: boolean; children: ReactNode }) {
  const { title, badge, open, children } = props
  return (
    <details open={open} className="group rounded-lg border border-line bg-surface shadow-card" aria-label={title}>
      <summary className="flex min-h-16 cursor-pointer list-none flex-wrap items-center gap-x-3 gap-y-1 rounded-lg px-6 py-3">
        <h2 className="text-lg">{title}</h2>
        {badge}
        <ChevronDown className="ml-auto size-5 text-muted transition-transform group-open:rotate-180" />
      </summary>
      <div className="flex flex-col gap-4 px-6 pb-6">{children}</div>
    </details>
  )
}

function EnvironmentSettings({ settings: allSettings }: { settings: Setting[] }) {
  const serverSettings = allSettings.filter(({ name }) => !editableSettings.some((editable) => editable === name))
  return (
    <CollapsibleCard title="For your administrator">
      <p className="text-sm text-muted">From the environment or .env; .env.example explains each. Restart to apply.</p>
      <Table label="Settings on the server">
        <thead>
          <tr>
            <HeadCell>Name</HeadCell>
            <HeadCell>Value</HeadCell>
          </tr>
        </thead>
        <tbody>
          {serverSettings.map(({ name, value, source }) => (
            <tr key={name}>
              <Cell className="py-2 font-mono text-xs">{name}</Cell>
              <Cell className="py-2 text-xs break-all">
                {value === null ? (
                  <Badge>{source === 'default' ? 'not set' : 'set, secret'}</Badge>
                ) : (
                  <>
                    {value || <span className="text-muted">empty</span>}
                    {source === 'default' && <span className="text-muted"> (default)</span>}
                  </>
                )}
              </Cell>
            </tr>
          ))}
        </tbody>
      </Table>
    </CollapsibleCard>
  )
}

const stateIcons = {
  ok: { icon: Check, color: 'text-accent-strong' },
  todo: { icon: CircleAlert, color: 'text-danger' },
  warning: { icon: CircleAlert, color: 'text-warning' },
  note: { icon: Info, color: 'text-muted' },
}

function PaymentsCard() {
  const query = useData(stripeSetup.adminCheck, {}, { once: true })
  const { data } = query
  const { stripe } = useSettings()
  if (!data) return <Pending query={query} className="h-16 rounded-lg" />
  const todoCount = data.filter(({ state }) => state === 'todo').length
  const isTest = !stripe.publishableKey.startsWith('pk_live_')
  function renderBadge() {
    if (todoCount > 0) return <Badge tone="bad">{todoCount} to do</Badge>
    if (isTest) return <Badge tone="warning">Test mode: you are not selling yet</Badge>
    return <Badge tone="good">Ready</Badge>
  }
  return (
    <CollapsibleCard title="Payments" badge={renderBadge()} open={todoCount > 0}>
      <ul className="flex flex-col gap-3">
        {data.map(({ about, state, text }) => (
          <CheckLine key={text} state={state}>
            <span className="font-medium">{about}:</span> <TextWithCode text={text} />
          </CheckLine>
        ))}
        {isTest && (
          <CheckLine state="note">
            <span className="font-medium">TradingView:</span> in test mode its lists are read and never changed, so a
            test card unlocks no one.
          </CheckLine>
        )}
      </ul>
    </CollapsibleCard>
  )
}

function CheckLine({ state, children }: { state: keyof typeof stateIcons; children: ReactNode }) {
  const { icon: Icon, color } = stateIcons[state]
  return (
    <li className="flex gap-3 text-sm">
      <Icon className={classes('mt-0.5 size-4 shrink-0', color)} />
      <span className="min-w-0 break-words">{children}</span>
    </li>
  )
}

function TextWithCode({ text }: { text: string }) {
  return text.split('`').map((part, index) =>
    index % 2 === 1 ? (
      <code key={part} className="font-mono text-xs">
        {part}
      </code>
    ) : (
      part
    ),
  )
}
