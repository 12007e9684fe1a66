import { type ReactNode, useEffect, useRef, useState } from 'react'
import type { ParsedInputOf } from '#contract/endpoint.ts'
import type { User } from '#contract/identity/session.ts'
import { receivedText, toTheSecond } from '#contract/selling/declaration-texts.ts'
import type { declarations } from '#contract/selling/declarations.ts'
import type { buttons } from '#contract/selling/legal/consumer-law.ts'
import type { DeclarationKind } from '#contract/statuses.ts'
import { checked } from '#web/api/checked.ts'
import { useUser } from '#web/api/session.ts'
import { useSettings } from '#web/api/settings.tsx'
import { useCall } from '#web/api/use-call.ts'
import NotFoundPage from '#web/features/not-found/not-found-page.tsx'
import { Button } from '#web/ui/button.tsx'
import { Card } from '#web/ui/card.tsx'
import { Field, Form, SubmitButton } from '#web/ui/form.tsx'
import { Input } from '#web/ui/input.tsx'
import { Container } from '#web/ui/page.tsx'

type Row = [label: string, value: string]
type Declared = ParsedInputOf<typeof declarations.withdraw> &
  Partial<ParsedInputOf<typeof declarations.cancel>>

type Props = {
  endpoint: typeof declarations.withdraw | typeof declarations.cancel
  noun: DeclarationKind
  title: string
  lead: string
  button: (typeof buttons)[keyof typeof buttons]
  /** What was declared, for the receipt. */
  contentOf: (declared: Declared) => Row[]
  /** Asked for besides who declares it about which contract. */
  before: ReactNode
  after?: ReactNode
}

/** The page of a declaration: open to everyone, and after sending it shows what arrived and when. */
export function DeclarationPage(props: Props) {
  const { endpoint, noun, title, lead, button, contentOf, before, after } = props
  const { consumerLaw } = useSettings()
  const { user } = useUser()
  const [receipt, setReceipt] = useState<ReceiptProps | null>(null)
  const send = useCall(endpoint, { failed: `Failed to send your ${noun}` })
  if (consumerLaw === 'none') return <NotFoundPage />
  if (receipt) return <Receipt {...receipt} />
  return (
    <Container className="flex flex-col gap-8 py-10 sm:py-16">
      <header className="flex flex-col gap-3">
        <h1 className="text-3xl">{title}</h1>
        <p className="max-w-2xl text-lg text-muted">{lead}</p>
      </header>
      <div className="grid gap-x-12 gap-y-8 lg:grid-cols-[minmax(0,42rem)_1fr] lg:items-start">
        <Card className="sm:p-8">
          <Form
            schema={checked(endpoint.input)}
            action={endpoint.path}
            aria-label={noun === 'withdrawal' ? 'Withdrawal' : 'Cancellation'}
            className="flex flex-col gap-6"
            onSubmit={async (declared: Declared) => {
              const { declaredAt, next } = await send.mutateAsync(declared)
              const rows: Row[] = [
                ...contentOf(declared),
                ['Name', declared.name],
                ['Contract', declared.contract],
                ['Email for the receipt', declared.email],
                ['Received', toTheSecond(declaredAt)],
              ]
              setReceipt({ ...receivedText(noun, next, declared.email), rows })
            }}
          >
            {before}
            <WhoAndWhat user={user} />
            {after}
            <SubmitButton
              size="lg"
              pendingText="Sending..."
              className="max-sm:h-auto max-sm:min-h-13 max-sm:w-full"
            >
              <span className="py-2 text-balance whitespace-normal">
                {button.en} <span lang="de">/ {button.de}</span>
              </span>
            </SubmitButton>
          </Form>
        </Card>
        <Next noun={noun} />
      </div>
    </Container>
  )
}

function Next({ noun }: { noun: DeclarationKind }) {
  const steps = [
    'You get a receipt by email within a minute. It shows what you sent and when.',
    'If you’re logged in, it takes effect right away. If not, we email a link to the address you bought with, and one click does the same.',
    `No click${noun === 'cancellation' ? ', or a good cause' : ''}? A person checks it within 14 days. Your date counts either way.`,
  ]
  return (
    <section aria-labelledby="next" className="flex flex-col gap-3 text-sm text-muted">
      <h2 id="next" className="text-base text-ink">
        What happens next
      </h2>
      <ol className="flex max-w-prose list-decimal flex-col gap-2 pl-5 marker:text-accent">
        {steps.map((step) => (
          <li key={step} className="pl-1">
            {step}
          </li>
        ))}
      </ol>
    </section>
  )
}

/** All that the law lets us ask for. Filled in once we know who is there; what was typed meanwhile stays. */
function WhoAndWhat({ user }: { user: User | null }) {
  return (
    <>
      <Field name="name" label="Your name">
        <Input required maxLength={100} autoComplete="name" defaultValue={user?.name ?? ''} />
      </Field>
      <Field
        name="contract"
        label="Contract number, or the email you bought with"
        hint="The contract number is in your receipt and looks like RS-1A2B3C4D."
      >
        <Input required maxLength={254} autoComplete="off" defaultValue={user?.email ?? ''} />
      </Field>
      <Field name="email" label="Email for the receipt">
        <Input type="email" required maxLength={254} autoComplete="email" defaultValue={user?.email ?? ''} />
      </Field>
    </>
  )
}

type ReceiptProps = { title: string; lines: string[]; rows: Row[] }

function Receipt({ title, lines, rows }: ReceiptProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    heading.current?.focus()
    scrollTo({ top: 0 })
  }, [])
  return (
    <Container className="flex flex-col items-start gap-6 py-10 sm:py-16">
      <h1 ref={heading} tabIndex={-1} className="text-3xl outline-none">
        {title}
      </h1>
      <div className="flex max-w-2xl flex-col gap-2 text-lg text-muted">
        {lines.map((line) => (
          <p key={line} className="wrap-anywhere">
            {line}
          </p>
        ))}
      </div>
      <Card className="w-full max-w-2xl sm:p-8">
        <dl className="flex flex-col divide-y divide-line">
          {rows.map(([label, value]) => (
            <div key={label} className="flex flex-wrap justify-between gap-x-6 gap-y-1 py-3">
              <dt className="text-muted">{label}</dt>
              <dd className="min-w-0 font-medium wrap-anywhere whitespace-pre-line">{value}</dd>
            </div>
          ))}
        </dl>
      </Card>
      <Button variant="secondary" onClick={() => print()}>
        Print or save
      </Button>
    </Container>
  )
}
