import { useEffect, useRef, useState } from 'react'
import type { OutputOf, ParsedInputOf } from '#contract/endpoint.ts'
import type { User } from '#contract/identity/session.ts'
import { formatToTheSecond, receivedText } from '#contract/selling/declaration-texts.ts'
import { declarations, grounds } from '#contract/selling/declarations.ts'
import { buttons } from '#contract/selling/legal/consumer-law.ts'
import type { DeclarationKind } from '#contract/statuses.ts'
import { CallForm } from '#web/api/call-form.tsx'
import { useUser } from '#web/api/session.ts'
import { useSettings } from '#web/api/settings.tsx'
import { NotFound } from '#web/features/not-found/not-found.tsx'
import { Button } from '#web/ui/button.tsx'
import { Card } from '#web/ui/card.tsx'
import { Field, useRefusedValue } from '#web/ui/form.tsx'
import { Input, Textarea } from '#web/ui/input.tsx'
import { usePageLocation } from '#web/ui/navigation.tsx'
import { Container } from '#web/ui/page.tsx'

type LabeledValue = [label: string, value: string]
type DeclarationInput = ParsedInputOf<typeof declarations.withdraw> & Partial<ParsedInputOf<typeof declarations.cancel>>

const cancellationNames = { ordinary: 'Ordinary cancellation', good_cause: 'Cancellation for good cause' }

const withdrawal = {
  endpoint: declarations.withdraw,
  noun: 'withdrawal',
  name: 'Withdrawal',
  title: 'Withdraw from contract',
  lead: 'Within 14 days of your order you can withdraw from the contract. You need no reason and no login, and you get all your money back; after a plan switch, what you paid for the time since.',
  button: buttons.confirmWithdrawal,
  receiptRows: (_input: DeclarationInput): LabeledValue[] => [['Declaration', 'Withdrawal from the contract']],
  fieldsBefore: <WithdrawalSentence />,
  fieldsAfter: null,
} as const

const cancellation = {
  endpoint: declarations.cancel,
  noun: 'cancellation',
  name: 'Cancellation',
  title: 'Cancel contracts',
  lead: 'Cancel a contract right here, without logging in.',
  button: buttons.cancelNow,
  receiptRows: cancellationRows,
  fieldsBefore: <Grounds />,
  fieldsAfter: (
    <Field name="endsOn" label="End date (optional)" hint="Leave it empty to cancel as soon as possible.">
      <Input type="date" className="max-w-56" />
    </Field>
  ),
} as const

function cancellationRows({ grounds: chosen = 'ordinary', reason, endsOn }: DeclarationInput): LabeledValue[] {
  const rows: LabeledValue[] = [['Declaration', cancellationNames[chosen]]]
  if (chosen === 'good_cause' && reason) rows.push(['Reason', reason])
  rows.push(['To end', endsOn || 'as soon as possible'])
  return rows
}

export default function DeclarationPage() {
  const pathname = usePageLocation((pageLocation) => pageLocation.pathname)
  const declaration = pathname === '/cancel' ? cancellation : withdrawal
  const { endpoint, noun, title, lead, button, receiptRows, fieldsBefore, fieldsAfter } = declaration
  const { consumerLaw } = useSettings()
  const { user } = useUser()
  const [receipt, setReceipt] = useState<ReceiptProps | null>(null)
  if (consumerLaw === 'none') return <NotFound />
  if (receipt) return <Receipt {...receipt} />
  const showReceipt = ({ declaredAt, next }: OutputOf<typeof endpoint>, input: DeclarationInput) =>
    setReceipt({
      ...receivedText(noun, next, input.email),
      rows: [
        ...receiptRows(input),
        ['Name', input.name],
        ['Contract', input.contract],
        ['Email for the receipt', input.email],
        ['Received', formatToTheSecond(declaredAt)],
      ],
    })
  return (
    <Container className="flex flex-col gap-8 py-10 sm:py-16">
      <header className="flex flex-col gap-3">
        <h1 className="text-3xl">{title}</h1>
        <p className="max-w-2xl text-lg text-muted">{lead}</p>
      </header>
      <div className="grid gap-x-12 gap-y-8 lg:grid-cols-[minmax(0,42rem)_1fr] lg:items-start">
        <Card className="sm:p-8">
          <CallForm
            call={endpoint}
            action={endpoint.path}
            label={declaration.name}
            className="flex flex-col gap-6"
            options={{ failed: `Failed to send your ${noun}`, onSuccess: showReceipt }}
            button={{
              size: 'lg',
              pendingText: 'Sending...',
              className: 'max-sm:h-auto max-sm:min-h-13 max-sm:w-full',
              children: (
                <span className="py-2 text-balance whitespace-normal">
                  {button.en} <span lang="de">/ {button.de}</span>
                </span>
              ),
            }}
          >
            {fieldsBefore}
            <SharedFields user={user} />
            {fieldsAfter}
          </CallForm>
        </Card>
        <NextSteps noun={noun} />
      </div>
    </Container>
  )
}

function WithdrawalSentence() {
  const productsOnSale = useSettings().products.filter(({ state }) => state === 'on sale')
  return <p>I withdraw from my contract for {productsOnSale.map(({ name }) => name).join(' or ')}.</p>
}

/** The field for the reason is shown by CSS, so that it works without scripts. */
function Grounds() {
  const chosenGrounds = useRefusedValue('grounds') ?? 'ordinary'
  return (
    // `:has()` targets one class, because `:has() *` would restyle the whole page with every insertion.
    <div className="flex flex-col gap-6 [&:has([value^=good]:checked)>.cause]:flex">
      <fieldset className="flex flex-col gap-3">
        <legend className="mb-2 text-sm font-medium">Kind of cancellation</legend>
        {grounds.map((value) => (
          <label key={value} className="flex cursor-pointer items-center gap-3">
            <input
              type="radio"
              name="grounds"
              value={value}
              defaultChecked={value === chosenGrounds}
              className="size-5"
            />
            {cancellationNames[value]}
          </label>
        ))}
      </fieldset>
      <Field name="reason" label="The good cause" className="cause hidden">
        <Textarea maxLength={1000} rows={3} />
      </Field>
    </div>
  )
}

function NextSteps({ noun }: { noun: DeclarationKind }) {
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
      <ol className="flex max-w-prose list-decimal flex-col gap-2 pl-5 marker:text-muted">
        {steps.map((step) => (
          <li key={step} className="pl-1">
            {step}
          </li>
        ))}
      </ol>
    </section>
  )
}

/** The law allows a shop to ask for these fields only. They are prefilled for a logged-in user. */
function SharedFields({ user }: { user: User | null }) {
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

type ReceiptProps = { title: string; lines: string[]; rows: LabeledValue[] }

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
