import { lazy, type ReactNode, Suspense, useState } from 'react'
import * as z from 'zod/mini'
import type { ApiError } from '#contract/call.ts'
import { email as emailField } from '#contract/fields.ts'
import type { User } from '#contract/identity/session.ts'
import type { ListedProduct } from '#contract/selling/product.ts'
import { checkoutEmail, rememberCheckoutEmail } from '#web/api/session.ts'
import { rememberEmail, rememberReturnPath, returnTo } from '#web/features/identity/sign-in/return-path.ts'
import { Button, TextButton } from '#web/ui/button.tsx'
import { Pending } from '#web/ui/card.tsx'
import { Field, Form } from '#web/ui/form.tsx'
import { Input } from '#web/ui/input.tsx'
import { Link } from '#web/ui/navigation.tsx'
import { Notice } from '#web/ui/notice.tsx'
import { toast } from '#web/ui/toast.tsx'
import {
  isPlaceIncomplete,
  PlaceFields,
  PlaceInUse,
  type PlaceValues,
  placeForm,
  useKnownPlace,
  useNeedsBillingLocation,
} from './place-fields.tsx'
import { UsernameInput } from './username-input.tsx'

/** `noNews` is not empty if the buyer objected to news by email. */
export type BuyerDetails = { email: string; tradingViewUsername: string; noNews: string } & PlaceValues

const linkClasses = 'font-medium text-ink underline decoration-field underline-offset-2'

const BillingDialog = lazy(() => import('#web/features/selling/invoices/billing-dialog.tsx'))

const optionalText = z._default(z.string(), '')
const baseFields = (isGuest: boolean) => ({
  email: isGuest ? emailField : optionalText,
  tradingViewUsername: optionalText,
  noNews: optionalText,
})
const detailsForm = (isGuest: boolean) => z.object(baseFields(isGuest))
const detailsFormWithPlace = (isGuest: boolean) => z.object({ ...baseFields(isGuest), ...placeForm })

export function Buyer(props: {
  product: ListedProduct
  user: User | null
  isPending: boolean
  refusal: ApiError | null
  onContinue: (details: BuyerDetails) => Promise<void>
  children: ReactNode
}) {
  const { product, user, isPending, refusal, onContinue, children } = props
  const [email, setEmail] = useState(checkoutEmail)
  const needsPlace = useNeedsBillingLocation()
  const { query, isMissing } = useKnownPlace(user)
  const placeInUse = query.data?.hasSubscription ? query.data : undefined
  const [isEditingDetails, setIsEditingDetails] = useState(false)
  const isSubscribed = refusal?.code === 'already-subscribed'
  const logIn = (
    <Link
      href="/auth"
      onClick={() => {
        if (isSubscribed) returnTo('/dashboard')
        else rememberReturnPath({ hasSessionEnded: false })
        rememberEmail(email)
      }}
      className={linkClasses}
    >
      Log in
    </Link>
  )
  return (
    <>
      <Form
        schema={needsPlace && !placeInUse ? detailsFormWithPlace(!user) : detailsForm(!user)}
        aria-label="Your details"
        className="flex flex-col gap-6"
        onInvalid={() => {
          if (!user && email.trim() === '')
            toast({ title: 'Email required', description: 'Please enter your email to continue', destructive: true })
        }}
        onSubmit={async (details: BuyerDetails) => {
          if (!user) rememberCheckoutEmail(details.email)
          await onContinue(user ? { ...details, email: user.email } : details)
        }}
      >
        {user ? (
          <p>
            You are logged in as <strong className="font-semibold wrap-anywhere">{user.email}</strong>. The subscription
            will belong to this account.
          </p>
        ) : (
          <Field
            name="email"
            label="Email"
            hint="An account will be created for you after payment, and your access details will be sent to this address."
          >
            <Input
              type="email"
              autoComplete="email"
              required
              value={email}
              onChange={(event) => setEmail(event.target.value)}
            />
          </Field>
        )}
        <UsernameField product={product} />
        {isMissing && <Pending query={query} what="your billing details" className="h-40" />}
        {placeInUse && <PlaceInUse details={placeInUse} onChange={() => setIsEditingDetails(true)} />}
        {needsPlace && !isMissing && !placeInUse && <PlaceFields known={query.data} />}
        <Refusal error={refusal}>
          {user ? (
            <Link href="/dashboard" className={linkClasses}>
              Go to your dashboard
            </Link>
          ) : (
            logIn
          )}
        </Refusal>
        {children}
        <Button
          type="submit"
          size="lg"
          pending={isPending}
          pendingText="Loading..."
          disabled={isMissing || (placeInUse && isPlaceIncomplete(placeInUse)) || (!user && email.trim() === '')}
        >
          Continue to Payment
        </Button>
        <NewsLine />
      </Form>
      {isEditingDetails && (
        <Suspense>
          <BillingDialog onClose={() => setIsEditingDetails(false)} />
        </Suspense>
      )}
      {!user && <p className="text-sm text-muted">Already have an account? {logIn}</p>}
    </>
  )
}

/** Shown only if the connector unlocks buyers. An invalid username does not block the checkout. */
function UsernameField({ product }: { product: ListedProduct }) {
  if (!product.unlocksItself) return null
  return (
    <Field
      name="tradingViewUsername"
      label="TradingView Username (optional)"
      hint="Usually unlocked within minutes of your payment, at most 24 hours. You can add it later."
    >
      <UsernameInput />
    </Field>
  )
}

/** § 7 (3) UWG allows news to buyers who could object to it when they gave their address. */
function NewsLine() {
  const [hasObjected, setHasObjected] = useState(false)
  return (
    <p className="text-sm text-muted">
      {hasObjected
        ? 'You won’t get news by email. '
        : 'We may email you news about this and our similar products. You can object any time, at no more than the basic cost of sending. '}
      {hasObjected && <input type="hidden" name="noNews" value="1" />}
      <TextButton onClick={() => setHasObjected(!hasObjected)}>{hasObjected ? 'Undo' : 'No news, please'}</TextButton>
    </p>
  )
}

/** Refusals that are solved here, so a link to the login or the dashboard would not help. */
const codesWithoutLink = new Set(['price-changed', 'code-refused', 'changed-meanwhile'])

function Refusal({ error, children }: { error: ApiError | null; children: ReactNode }) {
  if (!error) return null
  return (
    <Notice tone="warning">
      <p>{error.serverMessage}</p>
      {!codesWithoutLink.has(error.code ?? '') && children}
      {/* The other prices on this page may be outdated, too. */}
      {error.code === 'price-changed' && <TextButton onClick={() => location.reload()}>Show today’s prices</TextButton>}
    </Notice>
  )
}
