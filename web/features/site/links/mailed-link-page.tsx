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

type LinkTexts = Record<'title' | 'text' | 'button' | 'doneTitle' | 'doneText', string>
type MailedLink = LinkTexts & {
  endpoint: typeof newsletter.confirm | typeof credentials.confirmEmail
  pendingText?: string
  failedTitle?: string
  nextPage?: { label: string; href: Href }
}

const productsPage = { label: 'See the products', href: '/products' } as const
const accountPage = { label: 'Continue', href: '/account' } as const

/** Keys are paths or, for links about the account, values of `action` in the query. */
const mailedLinks: Record<string, MailedLink> = {
  '/newsletter/confirm': {
    endpoint: newsletter.confirm,
    title: 'Confirm your subscription',
    text: 'One click, and we’ll email you when there’s a new product. You can unsubscribe any time.',
    button: 'Confirm subscription',
    pendingText: 'Confirming...',
    doneTitle: 'You’re subscribed',
    doneText: "You've been added to our newsletter.",
    failedTitle: 'Confirmation failed',
    nextPage: productsPage,
  },
  '/newsletter/unsubscribe': {
    endpoint: newsletter.unsubscribe,
    title: 'Unsubscribe',
    text: 'We’re sorry to see you go. One click, and you won’t get the newsletter anymore.',
    button: 'Unsubscribe',
    pendingText: 'Unsubscribing...',
    doneTitle: 'You’re unsubscribed',
    doneText: 'You have been unsubscribed.',
    failedTitle: 'Unsubscribing failed',
    nextPage: productsPage,
  },
  '/declarations/confirm': {
    endpoint: declarations.confirm,
    title: 'Confirm your declaration',
    text: 'One click completes the withdrawal or cancellation described in our email.',
    button: 'Confirm',
    pendingText: 'Confirming...',
    doneTitle: 'Confirmed',
    doneText: 'Done. You’ll get an email about what happens to your contract.',
    failedTitle: 'Confirmation failed',
  },
  'confirm-email': {
    endpoint: credentials.confirmEmail,
    title: 'Confirm your new address',
    text: 'After that, you log in with this address, and we write to it.',
    button: 'Confirm this address',
    doneTitle: 'Address confirmed',
    doneText: 'From now on you log in with this address. We’ve told the old one, which can undo this for 72 hours.',
    nextPage: accountPage,
  },
  'undo-email': {
    endpoint: credentials.undoEmail,
    title: 'Undo the change of address',
    text: 'Your account gets this address back, every device is logged out, passkeys and authenticator apps added in the last 30 days and all recovery codes are removed, and we email you a link to choose a new password.',
    button: 'Undo the change',
    doneTitle: 'Change undone',
    doneText: 'Your account has its address back. Check your inbox for the link to choose a new password.',
    nextPage: accountPage,
  },
  'stop-reset': {
    endpoint: logins.stopReset,
    title: 'Keep your second step',
    text: 'Someone said that your device is lost. If it wasn’t you, stop it here, then reset your password.',
    button: 'Stop it',
    doneTitle: 'Your second step stays',
    doneText: 'Now please reset your password: someone knows it.',
    nextPage: { label: 'Continue', href: '/forgot-password' },
  },
  'finish-reset': {
    endpoint: logins.finishReset,
    title: 'Remove your second step',
    text: 'This removes your passkeys, your authenticator app, and your recovery codes. You then log in with your password and can set them up again.',
    button: 'Remove my second step',
    doneTitle: 'Your second step was removed',
    doneText: 'Log in with your password, and set it up again.',
    nextPage: accountPage,
  },
}

/** Acts only on a click, because mail scanners open links, too. */
export default function MailedLinkPage() {
  const { pathname, search } = useNavigation()
  const query = new URLSearchParams(search)
  const isAccountLink = pathname === '/account/link'
  const hydrated = useHydrated()
  // Waits for hydration, because the prerendered page has no query.
  if (isAccountLink && !hydrated) return <Loading />
  const key = isAccountLink ? (query.get('action') ?? '') : pathname
  // Own keys only, because a visitor may type `constructor`.
  const link = Object.hasOwn(mailedLinks, key) ? mailedLinks[key] : undefined
  return (
    <Container className="flex flex-col items-start gap-5 py-20 sm:py-28">
      {link ? (
        <LinkAction
          {...link}
          isAccountLink={isAccountLink}
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

/** Status 410 says that the link has ended, so another click won't help. */
function messageOfEndedLink(error: Error | null) {
  return error instanceof ApiError && error.status === 410 ? error.serverMessage : undefined
}

function LinkAction(props: MailedLink & { isAccountLink: boolean; input: { id: string; token: string } }) {
  const { endpoint, text, button, pendingText, doneTitle, doneText, nextPage, input } = props
  const [isDone, setIsDone] = useState(false)
  const forgetSession = useForgetSession()
  const linkCall = useCall(endpoint, {
    failed: props.failedTitle ?? 'That didn’t work',
    onSuccess: async () => {
      setIsDone(true)
      // Drops cached data of the account, which may have changed.
      if (props.isAccountLink) await forgetSession()
    },
  })
  const endedMessage = messageOfEndedLink(linkCall.error)
  const title = isDone ? doneTitle : props.title
  function submit(event: FormEvent) {
    event.preventDefault()
    if (!linkCall.isPending) linkCall.mutate(input)
  }
  return (
    <>
      <h1 className="text-3xl">{endedMessage ? 'This link has ended' : title}</h1>
      <p aria-live="polite" className="max-w-xl text-lg text-muted">
        {endedMessage ?? (isDone ? doneText : text)}
      </p>
      {!isDone && !endedMessage && (
        // Without scripts, the form posts to this address, which has the link's id and token in its query.
        <form method="post" onSubmit={submit}>
          <Button type="submit" pending={linkCall.isPending} pendingText={pendingText}>
            {button}
          </Button>
        </form>
      )}
      {isDone && nextPage && <ButtonLink href={nextPage.href}>{nextPage.label}</ButtonLink>}
    </>
  )
}
