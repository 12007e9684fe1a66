import { Check, LoaderCircle } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { access, type OwnAccess } from '#contract/access/access.ts'
import { accounts } from '#contract/identity/accounts.ts'
import { type Purchase, purchases } from '#contract/selling/purchases.ts'
import { isLive } from '#contract/statuses.ts'
import { CallForm } from '#web/api/call-form.tsx'
import { useData } from '#web/api/client.ts'
import { useSettings } from '#web/api/settings.tsx'
import { AccessRequestForm } from '#web/features/access/access-form/access-request-form.tsx'
import { AccessSentence, StateBadge, usernameProblem } from '#web/features/access/access-form/access-state.tsx'
import { OpenIndicator, useAccess } from '#web/features/access/access-form/open-indicator.tsx'
import { UsernameDialog, usernameChangeOptions } from '#web/features/access/access-form/username-dialog.tsx'
import KeepAccess from '#web/features/identity/account/keep-access.tsx'
import { wait } from '#web/features/selling/checkout/until-done.ts'
import { UsernameInput } from '#web/features/selling/checkout/username-input.tsx'
import { Button, TextButton } from '#web/ui/button.tsx'
import { Skeleton } from '#web/ui/card.tsx'
import { Field } from '#web/ui/form.tsx'
import { Link } from '#web/ui/navigation.tsx'
import { PaidLayout } from './paid.tsx'

export function Thanks(props: { paymentIntentId: string; onLeave: (path: '/dashboard' | '/welcome') => void }) {
  const { paymentIntentId, onLeave } = props
  const { data: ownPurchases, isPending: arePurchasesPending } = useData(purchases.list, {})
  const { data: profile } = useData(accounts.profile, {})
  const { data: accessRows, isPending: isAccessPending } = useAccess()
  const { askExchangeKeys } = useSettings()
  const purchase = ownPurchases?.find((candidate) => candidate.paymentIntentId === paymentIntentId)
  const ownAccess = accessRows?.find(({ purchaseId }) => purchaseId === purchase?.id)
  const settledAccess = ownAccess && isSettled(ownAccess) ? ownAccess : null
  // Without exchange keys, the full form is as short as the form for the username.
  const showsUsernameForm = ownAccess && askExchangeKeys && needsOnlyUsername(ownAccess)
  // Shown without a form, because this payment's purchase has ended.
  const otherAccess = purchase && !isLive(purchase.status) && !ownAccess ? accessRows?.[0] : undefined
  const nextAccess = ownAccess ?? otherAccess
  const isLoading = arePurchasesPending || isAccessPending
  const onSkip = () => onLeave('/dashboard')
  const renderForm = (hasSkipButton = false) => (
    <AccessRequestForm
      purchase={{ paymentIntentId }}
      username={ownAccess?.username ?? null}
      secondButton={hasSkipButton ? { label: skipLabel, onClick: onSkip } : undefined}
      onSubmitted={async () => {
        // docs/product.md: the welcome page follows after 2 s.
        await wait(2000)
        onLeave('/welcome')
      }}
    />
  )
  return (
    <PaidLayout
      order={purchase && profile && orderOf(purchase, profile.email)}
      next={nextAccess ? <NextStep ownAccess={nextAccess} /> : <p>Thank you.</p>}
      title="TradingView Access Request"
      footer={profile?.hasPassword === false && <KeepAccess email={profile.email} />}
    >
      {isLoading && <FormSkeleton />}
      {settledAccess && (
        <SettledRequest ownAccess={settledAccess} purchase={purchase} form={renderForm()} onSkip={onSkip} />
      )}
      {otherAccess && <Button onClick={onSkip}>Go to your dashboard</Button>}
      {!isLoading && !settledAccess && !otherAccess && (
        <>
          {ownAccess && (
            <div role="status" className="flex flex-col gap-2">
              {ownAccess.username && (
                <p className="flex flex-wrap items-center gap-3 font-medium break-words">
                  {ownAccess.username} <StateBadge ownAccess={ownAccess} />
                </p>
              )}
              <p className="text-muted">
                <AccessSentence ownAccess={ownAccess} purchase={purchase} />
              </p>
            </div>
          )}
          {showsUsernameForm ? (
            <>
              <UsernameForm ownAccess={ownAccess} onSkip={onSkip} />
              <FoldedForm title="Send the full request" isNeeded={false}>
                {renderForm()}
              </FoldedForm>
            </>
          ) : (
            renderForm(true)
          )}
        </>
      )}
    </PaidLayout>
  )
}

const skipLabel = 'Skip for Now'

/** For a buyer who has nothing left to do; the form only corrects or completes the request. */
function SettledRequest(props: {
  ownAccess: OwnAccess
  purchase: Purchase | undefined
  form: ReactNode
  onSkip: () => void
}) {
  const { ownAccess, purchase, form, onSkip } = props
  const isUnlocked = ownAccess.state === 'unlocked'
  return (
    <>
      <div className="flex flex-col gap-2">
        <p className="text-muted">
          {isUnlocked ? (
            'Already unlocked. Nothing more is needed.'
          ) : (
            <AccessSentence ownAccess={ownAccess} purchase={purchase} />
          )}
        </p>
        <RequestedUsername ownAccess={ownAccess} />
      </div>
      <FoldedForm title={isUnlocked ? 'Add to your request' : 'Correct your request'} isNeeded={!isUnlocked}>
        {form}
      </FoldedForm>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-3">
        <Button variant="secondary" onClick={onSkip}>
          {skipLabel}
        </Button>
        <Link href="/setup-guide" className={textLinkClasses}>
          Setup guide
        </Link>
        <Link href="/dashboard" className={textLinkClasses}>
          Dashboard
        </Link>
      </div>
    </>
  )
}

function UsernameForm({ ownAccess, onSkip }: { ownAccess: OwnAccess; onSkip: () => void }) {
  return (
    <CallForm
      call={access.changeUsername}
      extra={{ purchaseId: ownAccess.purchaseId }}
      label="Your username"
      options={usernameChangeOptions}
      button={{ pendingText: 'Saving...', children: 'Unlock this account' }}
      renderButton={(button) => (
        <div className="flex gap-3 max-sm:flex-col">
          {button}
          <Button variant="secondary" onClick={onSkip}>
            {skipLabel}
          </Button>
        </div>
      )}
    >
      <Field
        name="username"
        label="TradingView Username"
        hint="The name in the link to your profile: tradingview.com/u/your_name"
      >
        <UsernameInput defaultValue={ownAccess.username ?? ''} />
      </Field>
    </CallForm>
  )
}

const textLinkClasses = 'rounded-sm py-1 font-medium underline decoration-field underline-offset-4 hover:decoration-ink'

/** Lets buyers correct the username without the form, which may ask for exchange keys. */
function RequestedUsername({ ownAccess }: { ownAccess: OwnAccess }) {
  const [isChanging, setIsChanging] = useState(false)
  return (
    <>
      <p className="wrap-anywhere">
        {ownAccess.state === 'unlocked' ? 'Unlocked for' : 'Requested for'} <strong>{ownAccess.username}</strong>.
        {!ownAccess.mayChangeFrom && (
          <>
            {' '}
            Wrong username? <TextButton onClick={() => setIsChanging(true)}>Change it</TextButton>
          </>
        )}
      </p>
      {isChanging && <UsernameDialog ownAccess={ownAccess} onClose={() => setIsChanging(false)} />}
    </>
  )
}

/** Says that the form is optional unless `isNeeded`. */
function FoldedForm({ title, isNeeded, children }: { title: string; isNeeded: boolean; children: ReactNode }) {
  return (
    <details className="group border-y border-line">
      <summary className="flex min-h-13 cursor-pointer list-none items-center justify-between font-medium">
        {title}
        <span aria-hidden="true" className="text-xl text-muted group-open:rotate-45">
          +
        </span>
      </summary>
      <div className="flex flex-col gap-5 pt-3 pb-6">
        {!isNeeded && (
          <p className="text-sm text-muted">Only if we asked you for it. The indicator works without your exchange.</p>
        )}
        {children}
      </div>
    </details>
  )
}

const needsOnlyUsername = (ownAccess: OwnAccess) =>
  ownAccess.unlocksItself &&
  (usernameProblem(ownAccess) !== null || ownAccess.state === 'none' || ownAccess.state === 'locked')

/** True if the buyer has nothing left to do. */
function isSettled(ownAccess: OwnAccess) {
  const { state, promisedBy } = ownAccess
  const hasRequested = promisedBy !== null
  return !usernameProblem(ownAccess) && (state === 'unlocked' || hasRequested)
}

function orderOf(purchase: Purchase, email: string) {
  const { billingType, amount, lastPaidAmount, nextAmount, currentPeriodEnd } = purchase
  return {
    product: purchase.product.name,
    billingType,
    paidAmount: lastPaidAmount ?? amount,
    nextCharge: currentPeriodEnd ? { amount: nextAmount ?? amount, at: currentPeriodEnd } : null,
    email,
  }
}

function NextStep({ ownAccess }: { ownAccess: OwnAccess }) {
  if (usernameProblem(ownAccess)) return <p>Thank you. One step left: please correct your TradingView username.</p>
  switch (ownAccess.state) {
    case 'unlocked':
      return (
        <>
          <p>Thank you. Your access is ready, and nothing more is needed.</p>
          <Progress ownAccess={ownAccess} />
          <OpenIndicator product={ownAccess.product} size="lg" />
        </>
      )
    case 'unlocking':
      return (
        <>
          <p>Thank you. Nothing left to do: we’re unlocking {ownAccess.username}.</p>
          <Progress ownAccess={ownAccess} />
        </>
      )
    case 'asked':
      return <p>Thank you. Nothing left to do: an email follows as soon as your access is ready.</p>
    default:
      return (
        <p>
          Thank you. One step left:{' '}
          {ownAccess.unlocksItself ? 'give us your TradingView username.' : 'send us your access request.'}
        </p>
      )
  }
}

/** Longer times are not shown, because the buyer did not wait for them on this page. */
const maxShownSeconds = 600

function Progress({ ownAccess }: { ownAccess: OwnAccess }) {
  const { state, secondsToUnlock } = ownAccess
  const isUnlocked = state === 'unlocked'
  const duration = secondsToUnlock !== null && secondsToUnlock <= maxShownSeconds ? ` in ${secondsToUnlock} s` : ''
  const steps = [
    { text: 'Payment received', isDone: true },
    { text: 'TradingView asked', isDone: true },
    { text: isUnlocked ? `Unlocked${duration}` : 'Unlocking…', isDone: isUnlocked },
  ]
  return (
    <div role="status">
      <ol className="flex flex-col gap-2 text-base">
        {steps.map(({ text, isDone }) => (
          <li key={text} className="flex items-center gap-3">
            {isDone ? (
              <Check aria-hidden="true" className="size-4.5 text-accent" />
            ) : (
              <LoaderCircle aria-hidden="true" className="size-4.5 animate-spin text-muted" />
            )}
            {text}
          </li>
        ))}
      </ol>
    </div>
  )
}

function FormSkeleton() {
  return (
    <div className="flex flex-col gap-5">
      {['w-28', 'w-40', 'w-32'].map((width) => (
        <div key={width} className="flex flex-col gap-2.5">
          <Skeleton className={`h-3.5 ${width}`} />
          <Skeleton className="h-11" />
        </div>
      ))}
    </div>
  )
}
