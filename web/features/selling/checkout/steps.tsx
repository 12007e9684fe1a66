import { lazy, type ReactNode, Suspense, useEffect, useEffectEvent, useState } from 'react'
import { access } from '#contract/access/access.ts'
import { whenAccessComes } from '#contract/access/promise.ts'
import { ApiError } from '#contract/call.ts'
import { email as emailField } from '#contract/fields.ts'
import type { User } from '#contract/identity/session.ts'
import type { Zod } from '#contract/schema.ts'
import { checkout, type Discount, newsVersion } from '#contract/selling/checkout.ts'
import type { ListedProduct } from '#contract/selling/product.ts'
import type { BillingType } from '#contract/statuses.ts'
import { checked } from '#web/api/checked.ts'
import { toastError, useCall } from '#web/api/use-call.ts'
import { useData } from '#web/api/use-data.ts'
import { rememberReturnPath } from '#web/features/identity/sign-in/return-path.ts'
import { Button } from '#web/ui/button.tsx'
import { Card } from '#web/ui/card.tsx'
import { Field, Form } from '#web/ui/form.tsx'
import { Input } from '#web/ui/input.tsx'
import { Link, useNavigation } from '#web/ui/navigation.tsx'
import { Notice } from '#web/ui/notice.tsx'
import { toast } from '#web/ui/toast.tsx'
import { CardBrands } from './card-brands.tsx'
import type { Offer } from './order-summary.tsx'
import { loadCardForm, Payment, type Ready } from './payment.tsx'
import { PlaceFields, type PlaceValues, placeForm, useWantsPlace } from './place-fields.tsx'
import { sessionNote } from './session-note.ts'

/** What is asked for; where the buyer lives only matters for tax. */
type Asked = { email: string; tradingViewUsername: string; noNews: string } & PlaceValues

/** Who buys, then how they pay. */
export function Steps(props: {
  product: ListedProduct
  billing: BillingType
  offer: Offer
  /** The server has said what it costs, and what is charged today. */
  onOffer: (offer: Offer) => void
  user: User | null
}) {
  const { product, billing, offer, onOffer, user } = props
  const [asked, setAsked] = useState<Asked | null>(null)
  // Either plan is a checkout of its own at Stripe: anyone who looks at the other one returns to the same.
  const [ready, setReady] = useState<Partial<Record<BillingType, Ready>>>({})
  const [refusal, setRefusal] = useState<ApiError | null>(null)
  const { navigate, search } = useNavigation()
  // From a link, or typed; the server knows what it is worth on each plan.
  const [code, setCode] = useState(() => new URLSearchParams(search).get('code') ?? '')
  const [hasCode, setHasCode] = useState(code !== '')
  const begin = useCall(checkout.createSubscriptionIntent, {})

  /** Another tab of this browser was faster: asked again, the server knows both as one. */
  const twice = (wish: Parameters<typeof begin.mutateAsync>[0]) =>
    begin.mutateAsync(wish).catch((error: unknown) => {
      if (error instanceof ApiError && error.code === 'changed-meanwhile') return begin.mutateAsync(wish)
      throw error
    })

  async function proceed(wanted: Asked) {
    void loadCardForm().catch(() => undefined)
    const { email, tradingViewUsername, noNews, country, ...where } = wanted
    try {
      const { clientSecret, isPaid, amountDue, tax, discount } = await twice({
        productSlug: product.slug,
        billingType: billing,
        amount: offer.price,
        ...(code ? { code } : {}),
        ...(user ? {} : { email }),
        ...(tradingViewUsername ? { tradingViewUsername } : {}),
        news: { version: newsVersion, objects: !!noNews },
        ...(country ? { place: { country, ...where } } : {}),
      })
      if (isPaid) {
        // Just paid, in another tab or before a reload: all that's left is to wait.
        const [paymentIntentId = ''] = clientSecret.split('_secret_')
        navigate(`/checkout/success?payment_intent=${paymentIntentId}`)
        return
      }
      onOffer({ ...offer, due: amountDue, discount })
      setReady((others) => ({ ...others, [billing]: { clientSecret, tax } }))
      setAsked(wanted)
    } catch (error) {
      startOver()
      if (error instanceof ApiError && error.code === 'code-refused') setDiscount(null)
      if (error instanceof ApiError && error.amount !== undefined)
        onOffer({ price: error.amount, due: error.amount })
      toastError({ title: 'Error', description: 'Failed to initialize checkout' }, error)
      // Having a subscription already is no mistake: the message stays, with the way to it.
      if (error instanceof ApiError && error.status === 409) setRefusal(error)
      // The form says it at the field, too.
      throw error
    }
  }

  /** Each plan has another price with it; a payment that has begun begins again. */
  function setDiscount(discount: Discount | null) {
    if (discount?.code !== code) setReady({})
    setCode(discount?.code ?? '')
    onOffer({ price: offer.price, due: discount?.due ?? offer.price, discount: discount ?? undefined })
  }

  function startOver() {
    setAsked(null)
    setReady({})
  }

  const isMissing = asked !== null && !ready[billing]
  // The other plan was chosen at the payment step.
  const fetchMissing = useEffectEvent(async () => {
    if (asked) await proceed(asked)
  })
  useEffect(() => {
    if (isMissing)
      Promise.resolve()
        .then(fetchMissing)
        .catch(() => undefined)
  }, [isMissing])

  const codeField = hasCode ? (
    <Suspense>
      <CodeField
        slug={product.slug}
        billing={billing}
        code={code}
        discount={offer.discount}
        onChange={setDiscount}
      />
    </Suspense>
  ) : (
    <button type="button" className={`${link} self-start text-sm`} onClick={() => setHasCode(true)}>
      Have a code?
    </button>
  )
  if (asked)
    return (
      <>
        <Payment
          ready={ready[billing]}
          email={asked.email}
          product={product}
          billing={billing}
          offer={offer}
          onChange={user ? null : startOver}
          onSoldOut={(refused) => {
            startOver()
            setRefusal(refused)
          }}
        />
        {codeField}
      </>
    )
  const onContinue = (wanted: Asked) => {
    setRefusal(null)
    return proceed(wanted)
  }
  const step = { product, isPending: begin.isPending, refusal, onContinue }
  return (
    <Card className="flex flex-col gap-6 sm:p-8">
      {user ? <KnownBuyer {...step} email={user.email} /> : <GuestEmail {...step} />}
      {codeField}
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2 border-t border-line pt-5 text-sm text-muted">
        <CardBrands />
        Secure card payment by Stripe
      </div>
    </Card>
  )
}

type StepProps = {
  product: ListedProduct
  isPending: boolean
  refusal: ApiError | null
  onContinue: (asked: Asked) => Promise<void>
}

const link = 'font-medium text-accent-strong underline underline-offset-2'

function KnownBuyer({ product, email, isPending, refusal, onContinue }: StepProps & { email: string }) {
  const wantsPlace = useWantsPlace()
  return (
    <>
      <p>
        You are logged in as <strong className="font-semibold break-all">{email}</strong>. The subscription
        will belong to this account.
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

// Only some have one.
const CodeField = lazy(() => import('./code-field.tsx'))

// Only some shops ask for it here.
const UsernameInput = lazy(() =>
  import('./username-input.tsx').then((module) => ({ default: module.UsernameInput })),
)

/** Asked before paying only where it is checked and unlocked by itself; whatever is typed, the checkout goes on. */
function NameField() {
  const { data } = useData(access.status, {})
  if (!data?.unlocksItself) return null
  return (
    <Field
      name="tradingViewUsername"
      label="TradingView Username (optional)"
      hint={`${whenAccessComes(data)} You can add it later.`}
    >
      <Suspense fallback={<Input disabled />}>
        <UsernameInput />
      </Suspense>
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

function GuestEmail({ product, isPending, refusal, onContinue }: StepProps) {
  const [isEmpty, setIsEmpty] = useState(() => !guestEmail.read())
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
            type="email"
            autoComplete="email"
            inputMode="email"
            required
            defaultValue={guestEmail.read() ?? ''}
            onChange={(event) => setIsEmpty(event.target.value.trim() === '')}
          />
        </Field>
        <NameField />
        {wantsPlace && <PlaceFields />}
        <NewsLine />
        <Refusal product={product} error={refusal}>
          {logIn}
        </Refusal>
        <Button type="submit" size="lg" pending={isPending} pendingText="Loading..." disabled={isEmpty}>
          Continue to Payment
        </Button>
      </Form>
      <p className="text-sm text-muted">Already have an account? {logIn}</p>
    </>
  )
}
