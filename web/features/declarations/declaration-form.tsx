import { type ComponentType, useEffect, useRef, useState } from 'react'
import type { User } from '#contract/accounts.ts'
import type { labels } from '#contract/legal/consumer-law.ts'
import { useUser } from '#web/api/session.ts'
import { useSettings } from '#web/api/settings.tsx'
import NotFoundPage from '#web/features/not-found/not-found-page.tsx'
import { Button } from '#web/ui/button.tsx'
import { Card } from '#web/ui/card.tsx'
import { Field } from '#web/ui/form.tsx'
import { Input } from '#web/ui/input.tsx'
import { Container } from '#web/ui/page.tsx'

/** A declaration as it was sent, for the receipt on the page. */
export type Sent = { declaredAt: string; content: [label: string, value: string][] }

export type FormProps = { user: User | null; onSent: (sent: Sent) => void }

/** The page of a declaration: open to everyone, and after sending it shows what arrived and when. */
export function DeclarationPage(props: {
  title: string
  lead: string
  done: string
  form: ComponentType<FormProps>
}) {
  const { consumerLaw } = useSettings()
  const { user } = useUser()
  const [sent, setSent] = useState<Sent | null>(null)
  if (consumerLaw === 'none') return <NotFoundPage />
  if (sent) return <Receipt title={props.done} {...sent} />
  return (
    <Container className="flex flex-col gap-8 py-10 sm:py-16">
      <header className="flex flex-col gap-3">
        <h1 className="text-3xl">{props.title}</h1>
        <p className="max-w-2xl text-lg text-muted">{props.lead}</p>
      </header>
      <Card className="max-w-2xl sm:p-8">
        {/* Filled in once we know who is there; nobody has to wait for that. */}
        <props.form key={user?.id} user={user} onSent={setSent} />
      </Card>
    </Container>
  )
}

/** All that the law lets us ask for. */
export function WhoAndWhat({ user }: { user: User | null }) {
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

export function BothLanguages({ label }: { label: (typeof labels)[keyof typeof labels] }) {
  return (
    <span>
      {label.en} <span lang="de">· {label.de}</span>
    </span>
  )
}

const exact = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeStyle: 'long', timeZone: 'UTC' })

function Receipt({ title, declaredAt, content }: Sent & { title: string }) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    heading.current?.focus()
    scrollTo({ top: 0 })
  }, [])
  const rows: Sent['content'] = [...content, ['Received', exact.format(new Date(declaredAt))]]
  return (
    <Container className="flex flex-col items-start gap-6 py-10 sm:py-16">
      <h1 ref={heading} tabIndex={-1} className="text-3xl outline-none">
        {title}
      </h1>
      <p className="max-w-2xl text-lg text-muted">
        It counts from the time below. We’ve emailed you this receipt; if you bought with another email
        address, look there for a link that carries it out right away.
      </p>
      <Card className="w-full max-w-2xl sm:p-8">
        <dl className="flex flex-col divide-y divide-line">
          {rows.map(([label, value]) => (
            <div key={label} className="flex flex-wrap justify-between gap-x-6 gap-y-1 py-3">
              <dt className="text-muted">{label}</dt>
              <dd className="font-medium break-words whitespace-pre-line">{value}</dd>
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
