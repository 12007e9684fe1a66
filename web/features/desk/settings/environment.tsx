import { Check, ChevronDown, CircleAlert, Info } from 'lucide-react'
import type { ReactNode } from 'react'
import { editableSettings, type Setting } from '#contract/desk/settings.ts'
import { stripeSetup } from '#contract/selling/stripe-setup.ts'
import { useData } from '#web/api/client.ts'
import { classes } from '#web/ui/classes.ts'
import { Badge } from '#web/ui/notice.tsx'
import { Cell, HeadCell, Table } from '#web/ui/table.tsx'
import { Pending } from '../lists/record-table.tsx'
import { sectionId } from './editable-card.tsx'

function Fold(props: { title: string; badge?: ReactNode; open?: boolean; children: ReactNode }) {
  const { title, badge, open, children } = props
  return (
    <details
      id={sectionId(title)}
      open={open}
      className="group rounded-lg border border-line bg-surface shadow-card"
      aria-label={title}
    >
      <summary className="flex h-16 cursor-pointer list-none items-center gap-3 rounded-lg px-6">
        <h2 className="text-lg">{title}</h2>
        {badge}
        <ChevronDown className="ml-auto size-5 text-muted transition-transform group-open:rotate-180" />
      </summary>
      <div className="flex flex-col gap-4 px-6 pb-6">{children}</div>
    </details>
  )
}

export function Environment({ settings }: { settings: Setting[] }) {
  const rest = settings.filter(({ name }) => !editableSettings.some((editable) => editable === name))
  return (
    <Fold title="Set on the server">
      <p className="text-sm text-muted">
        From the environment or .env; .env.example explains each. Restart to apply.
      </p>
      <Table label="Settings on the server">
        <thead>
          <tr>
            <HeadCell>Name</HeadCell>
            <HeadCell>Value</HeadCell>
          </tr>
        </thead>
        <tbody>
          {rest.map(({ name, value, source }) => (
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
    </Fold>
  )
}

const icons = {
  ok: { icon: Check, color: 'text-accent-strong' },
  todo: { icon: CircleAlert, color: 'text-danger' },
  warning: { icon: CircleAlert, color: 'text-warning' },
  note: { icon: Info, color: 'text-muted' },
}

/** Whether the Stripe account is set up correctly: the same lines as `npm run stripe -- check`. */
export function PaymentsCard() {
  const query = useData(stripeSetup.adminCheck, {}, { once: true })
  const { data } = query
  if (!data) return <Pending query={query} className="h-16 rounded-lg" />
  const todos = data.filter(({ state }) => state === 'todo').length
  const badge = todos > 0 ? <Badge tone="bad">{todos} to do</Badge> : <Badge tone="good">Ready</Badge>
  return (
    <Fold title="Payments" badge={badge} open={todos > 0}>
      <ul className="flex flex-col gap-3">
        {data.map(({ about, state, text }) => (
          <Line key={text} state={state}>
            <span className="font-medium">{about}:</span> <Marked text={text} />
          </Line>
        ))}
      </ul>
    </Fold>
  )
}

export function Line({ state, children }: { state: keyof typeof icons; children: ReactNode }) {
  const { icon: Icon, color } = icons[state]
  return (
    <li className="flex gap-3 text-sm">
      <Icon className={classes('mt-0.5 size-4 shrink-0', color)} />
      <span className="min-w-0 break-words">{children}</span>
    </li>
  )
}

/** Names and commands are in backticks. */
export function Marked({ text }: { text: string }) {
  return text.split('`').map((part, place) =>
    place % 2 === 1 ? (
      <code key={part} className="font-mono text-xs">
        {part}
      </code>
    ) : (
      part
    ),
  )
}
