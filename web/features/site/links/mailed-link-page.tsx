import { type FormEvent, useState } from 'react'
import { ApiError } from '#contract/call.ts'
import { credentials } from '#contract/identity/credentials.ts'
import { logins } from '#contract/identity/logins.ts'
import { declarations } from '#contract/selling/declarations.ts'
import { newsletter } from '#contract/site/newsletter.ts'
import { useForgetSession } from '#web/api/session.ts'
import { useCall } from '#web/api/use-call.ts'
import { Button, ButtonLink } from '#web/ui/button.tsx'
import { type Href, useNavigation } from '#web/ui/navigation.tsx'
import { Container } from '#web/ui/page.tsx'
import { Loading } from '#web/ui/spinner.tsx'
import { useHydrated } from '#web/ui/store.ts'

type Words = Record<'title' | 'text' | 'button' | 'doneTitle' | 'done', string>
type Link = Words & {
  endpoint: typeof newsletter.confirm | typeof credentials.confirmEmail
  pending?: string
  failed?: string
  next?: { label: string; href: Href }
}

const toProducts = { label: 'See the products', href: '/products' } as const
const toAccount = { label: 'Continue', href: '/account' } as const

/** Keyed by path; links about the account share one path and are keyed by `action`. */
const links: Record<string, Link> = {
  '/newsletter/confirm': {
    endpoint: newsletter.confirm,
    title: 'Confirm your subscription',
    text: 'One click, and we’ll email you when there’s a new product. You can unsubscribe any time.',
    button: 'Confirm subscription',
    pending: 'Confirming...',
    doneTitle: 'You’re subscribed',
    done: "You've been added to our newsletter.",
    failed: 'Confirmation failed',
    next: toProducts,
  },
  '/newsletter/unsubscribe': {
    endpoint: newsletter.unsubscribe,
    title: 'Unsubscribe',
    text: 'We’re sorry to see you go. One click, and you won’t get the newsletter anymore.',
    button: 'Unsubscribe',
    pending: 'Unsubscribing...',
    doneTitle: 'You’re unsubscribed',
    done: 'You have been unsubscribed.',
    failed: 'Unsubscribing failed',
    next: toProducts,
  },
  '/declarations/confirm': {
    endpoint: declarations.confirm,
    title: 'Confirm your declaration',
    text: 'One click completes the withdrawal or cancellation described in our email.',
    button: 'Confirm',
    pending: 'Confirming...',
    doneTitle: 'Confirmed',
    done: 'Done. You’ll get an email about what happens to your contract.',
    failed: 'Confirmation failed',
  },
  'confirm-email': {
    endpoint: credentials.confirmEmail,
    title: 'Confirm your new address',
    text: 'After that, you log in with this address, and we write to it.',
    button: 'Confirm this address',
    doneTitle: 'Address confirmed',
    done: 'From now on you log in with this address. We’ve told the old one, which can undo this for 72 hours.',
    next: toAccount,
  },
  'undo-email': {
    endpoint: credentials.undoEmail,
    title: 'Undo the change of address',
    text: 'Your account gets this address back, every device is logged out, passkeys and authenticator apps added in the last 30 days and all recovery codes are removed, and we email you a link to choose a new password.',
    button: 'Undo the change',
    doneTitle: 'Change undone',
    done: 'Your account has its address back. Check your inbox for the link to choose a new password.',
    next: toAccount,
  },
  'stop-reset': {
    endpoint: logins.stopReset,
    title: 'Keep your second step',
    text: 'Someone said that your device is lost. If it wasn’t you, stop it here, then reset your password.',
    button: 'Stop it',
    doneTitle: 'Your second step stays',
    done: 'Now please reset your password: someone knows it.',
    next: { label: 'Continue', href: '/forgot-password' },
  },
  'finish-reset': {
    endpoint: logins.finishReset,
    title: 'Remove your second step',
    text: 'This removes your passkeys, your authenticator app, and your recovery codes. You then log in with your password and can set them up again.',
    button: 'Remove my second step',
    doneTitle: 'Your second step was removed',
    done: 'Log in with your password, and set it up again.',
    next: toAccount,
  },
}

/** Target of emailed links. Acts only on a click, because mail scanners open links, too. */
export default function MailedLinkPage() {
  const { pathname, search } = useNavigation()
  const query = new URLSearchParams(search)
  const isOfAccount = pathname === '/account/link'
  const hydrated = useHydrated()
  // The prerendered page has no query.
  if (isOfAccount && !hydrated) return <Loading />
  const key = isOfAccount ? (query.get('action') ?? '') : pathname
  const link = Object.hasOwn(links, key) && links[key]
  return (
    <Container className="flex flex-col items-start gap-5 py-20 sm:py-28">
      {link ? (
        <Action
          {...link}
          isOfAccount={isOfAccount}
          input={{ id: query.get('id') ?? '', token: query.get('token') ?? '' }}
        />
      ) : (
        <>
          <h1 className="text-3xl">This link is incomplete</h1>
          <p className="max-w-xl text-lg text-muted">Please open it from the email again.</p>
        </>
      )}
    </Container>
  )
}

function Action(props: Link & { isOfAccount: boolean; input: { id: string; token: string } }) {
  const { endpoint, title, text, button, pending, doneTitle, done, next, input } = props
  const [isDone, setIsDone] = useState(false)
  const forgetSession = useForgetSession()
  const act = useCall(endpoint, {
    failed: props.failed ?? 'That didn’t work',
    onSuccess: async () => {
      setIsDone(true)
      // Cached account data may be outdated.
      if (props.isOfAccount) await forgetSession()
    },
  })
  // A link that has ended (410) is explained on the page, because another click won't help.
  const ended = act.error instanceof ApiError && act.error.status === 410 ? act.error.serverMessage : undefined
  function submit(event: FormEvent) {
    event.preventDefault()
    if (!act.isPending) act.mutate(input)
  }
  return (
    <>
      <h1 className="text-3xl">{ended ? 'This link has ended' : isDone ? doneTitle : title}</h1>
      <p aria-live="polite" className="max-w-xl text-lg text-muted">
        {ended ?? (isDone ? done : text)}
      </p>
      {!isDone && !ended && (
        // Without scripts the form posts to this address, whose query holds the link's id and token.
        <form method="post" onSubmit={submit}>
          <Button type="submit" pending={act.isPending} pendingText={pending}>
            {button}
          </Button>
        </form>
      )}
      {isDone && next && <ButtonLink href={next.href}>{next.label}</ButtonLink>}
    </>
  )
}
