import { type ReactNode, useEffect, useRef, useState } from 'react'
import { whenAccessComes } from '#contract/access/promise.ts'
import type { ApiError } from '#contract/call.ts'
import { email as emailField } from '#contract/fields.ts'
import type { Zod } from '#contract/schema.ts'
import type { ListedProduct } from '#contract/selling/product.ts'
import { checked } from '#web/api/checked.ts'
import { useSettings } from '#web/api/settings.tsx'
import { rememberReturnPath } from '#web/features/identity/sign-in/return-path.ts'
import { Button } from '#web/ui/button.tsx'
import { Field, Form } from '#web/ui/form.tsx'
import { Input } from '#web/ui/input.tsx'
import { Link } from '#web/ui/navigation.tsx'
import { Notice } from '#web/ui/notice.tsx'
import { toast } from '#web/ui/toast.tsx'
import { PlaceFields, type PlaceValues, placeForm, useWantsPlace } from './place-fields.tsx'
import { UsernameInput } from './username-input.tsx'

/** What is asked for; where the buyer lives only matters for tax. */
export type Asked = { email: string; tradingViewUsername: string; noNews: string } & PlaceValues

type StepProps = {
  product: ListedProduct
  isPending: boolean
  refusal: ApiError | null
  onContinue: (asked: Asked) => Promise<void>
}

export const link = 'font-medium text-accent-strong underline underline-offset-2'

export function KnownBuyer({
  product,
  email,
  isPending,
  refusal,
  onContinue,
}: StepProps & { email: string }) {
  const wantsPlace = useWantsPlace()
  return (
    <>
      <p>
        You are logged in as <strong className="font-semibold wrap-anywhere">{email}</strong>. The
        subscription will belong to this account.
      </p>
      <Refusal product={product} error={refusal}>
        <Link href="/dashboard" className={link}>
          Go to your dashboard
        </Link>
      </Refusal>
      <Form
        schema={wantsPlace ? nameAndPlaceForm : nameForm}
        aria-label="TradingView username"
        className="flex flex-col gap-6"
        onSubmit={(asked: Omit<Asked, 'email'>) => onContinue({ email, ...asked })}
      >
        <NameField />
        {wantsPlace && <PlaceFields />}
        <NewsLine />
        <Button type="submit" size="lg" pending={isPending} pendingText="Loading...">
          Continue to Payment
        </Button>
      </Form>
    </>
  )
}

const guestEmail = sessionNote('checkout-email')
const optional = (z: Zod) => z._default(z.string(), '')
const nameFields = (z: Zod) => ({ tradingViewUsername: optional(z), noNews: optional(z) })
const guestFields = (z: Zod) => ({ ...nameFields(z), email: emailField(z) })
const nameForm = checked((z) => z.object(nameFields(z)))
const guestForm = checked((z) => z.object(guestFields(z)))
const nameAndPlaceForm = checked((z) => z.object({ ...nameFields(z), ...placeForm(z) }))
const guestAndPlaceForm = checked((z) => z.object({ ...guestFields(z), ...placeForm(z) }))

/** Asked before paying only where it is checked and unlocked by itself; whatever is typed, the checkout goes on. */
function NameField() {
  const settings = useSettings()
  if (!settings.unlocksItself) return null
  return (
    <Field
      name="tradingViewUsername"
      label="TradingView Username (optional)"
      hint={`${whenAccessComes(settings)} You can add it later.`}
    >
      <UsernameInput />
    </Field>
  )
}

/** § 7 (3) UWG: buyers may be written to if they were told when they gave the address, and could object right there. */
function NewsLine() {
  const [objects, setObjects] = useState(false)
  return (
    <p className="text-sm text-muted">
      {objects
        ? 'You won’t get news by email. '
        : 'We may email you news about this and our similar products. You can object any time, at no more than the basic cost of sending. '}
      {objects && <input type="hidden" name="noNews" value="1" />}
      <button type="button" className={link} onClick={() => setObjects(!objects)}>
        {objects ? 'Undo' : 'No news, please'}
      </button>
    </p>
  )
}

/** When sold out, this offers the waiting list; a new price only needs to be seen; subscribers are led to what they have. */
function Refusal(props: { product: ListedProduct; error: ApiError | null; children: ReactNode }) {
  const { product, error, children } = props
  if (!error) return null
  return (
    <Notice tone="warning">
      <p>{error.serverMessage}</p>
      {error.code === 'sold-out' ? (
        <Link href={`/products/${product.slug}`} className={link}>
          Tell me when a seat is free
        </Link>
      ) : (
        error.code !== 'price-changed' && error.code !== 'code-refused' && children
      )}
    </Notice>
  )
}

export function GuestEmail(props: StepProps & { isKnown: boolean }) {
  const { product, isPending, refusal, onContinue, isKnown } = props
  const input = useRef<HTMLInputElement>(null)
  const [isEmpty, setIsEmpty] = useState(true)
  // The field was there before this script: what has been typed into it is newer than the note.
  useEffect(() => {
    if (!input.current) return
    input.current.value ||= guestEmail.read() ?? ''
    setIsEmpty(input.current.value.trim() === '')
  }, [])
  const wantsPlace = useWantsPlace()
  const logIn = (
    <Link href="/auth" onClick={rememberReturnPath} className={link}>
      Log in
    </Link>
  )
  return (
    <>
      <Form
        schema={wantsPlace ? guestAndPlaceForm : guestForm}
        aria-label="Your email"
        className="flex flex-col gap-6"
        onInvalid={(_errors, { email }) => {
          if (!email)
            toast({
              title: 'Email required',
              description: 'Please enter your email to continue',
              destructive: true,
            })
        }}
        onSubmit={async (asked: Asked) => {
          guestEmail.write(asked.email)
          await onContinue(asked)
        }}
      >
        <Field
          name="email"
          label="Email"
          hint="An account will be created for you after payment, and your access details will be sent to this address."
        >
          <Input
            ref={input}
            type="email"
            autoComplete="email"
            required
            onChange={(event) => setIsEmpty(event.target.value.trim() === '')}
          />
        </Field>
        <NameField />
        {wantsPlace && <PlaceFields />}
        <NewsLine />
        <Refusal product={product} error={refusal}>
          {logIn}
        </Refusal>
        <Button
          type="submit"
          size="lg"
          pending={isPending}
          pendingText="Loading..."
          // In the prerendered page, too: nothing is sent before there is a script to send it.
          disabled={isEmpty || !isKnown}
        >
          Continue to Payment
        </Button>
      </Form>
      <p className="text-sm text-muted">Already have an account? {logIn}</p>
    </>
  )
}

/** A per-tab note that survives a reload; without storage, there is simply no note. */
function sessionNote(name: string) {
  return {
    read: () => attempt(() => sessionStorage.getItem(name)),
    write: (value: string) => attempt(() => sessionStorage.setItem(name, value)),
  }
}

function attempt<Result>(work: () => Result): Result | null {
  try {
    return work()
  } catch {
    return null
  }
}
