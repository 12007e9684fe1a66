import { useState } from 'react'
import { credentials } from '#contract/identity/credentials.ts'
import { logins } from '#contract/identity/logins.ts'
import { useForgetSession } from '#web/api/session.ts'
import { useCall } from '#web/api/use-call.ts'
import { Button, ButtonLink } from '#web/ui/button.tsx'
import { useNavigation } from '#web/ui/navigation.tsx'
import { Container } from '#web/ui/page.tsx'
import { Loading } from '#web/ui/spinner.tsx'
import { useHydrated } from '#web/ui/store.ts'

const actions = {
  'confirm-email': {
    row: credentials.confirmEmail,
    title: 'Confirm your new address',
    text: 'After that, you log in with this address, and we write to it.',
    button: 'Confirm this address',
    doneTitle: 'Address confirmed',
    done: 'From now on you log in with this address. We’ve told the old one, which can undo this for 72 hours.',
  },
  'undo-email': {
    row: credentials.undoEmail,
    title: 'Undo the change of address',
    text: 'Your account gets this address back, every device is logged out, passkeys and authenticator apps added in the last 30 days and all recovery codes are removed, and we email you a link to choose a new password.',
    button: 'Undo the change',
    doneTitle: 'Change undone',
    done: 'Your account has its address back. Check your inbox for the link to choose a new password.',
  },
  'stop-reset': {
    row: logins.stopReset,
    title: 'Keep your second step',
    text: 'Someone said that your device is lost. If it wasn’t you, stop it here, then reset your password.',
    button: 'Stop it',
    doneTitle: 'Your second step stays',
    done: 'Now please reset your password: someone knows it.',
  },
  'finish-reset': {
    row: logins.finishReset,
    title: 'Remove your second step',
    text: 'This removes your passkeys, your authenticator app, and your recovery codes. You then log in with your password and can set them up again.',
    button: 'Remove my second step',
    doneTitle: 'Your second step was removed',
    done: 'Log in with your password, and set it up again.',
  },
}

/** What emails about the account link to. It acts only on a click, because mail scanners open links too. */
export default function LinkPage() {
  const { search } = useNavigation()
  const hydrated = useHydrated()
  const query = new URLSearchParams(search)
  const action = Object.entries(actions).find(([name]) => name === query.get('action'))?.[1]
  if (!hydrated) return <Loading />
  return (
    <Container className="flex flex-col items-start gap-5 py-20 sm:py-28">
      {action ? (
        <Action {...action} link={{ id: query.get('id') ?? '', token: query.get('token') ?? '' }} />
      ) : (
        <>
          <h1 className="text-3xl">This link is incomplete</h1>
          <p className="max-w-xl text-lg text-muted">Please open it from the email again.</p>
        </>
      )}
    </Container>
  )
}

type Shown = (typeof actions)[keyof typeof actions] & { link: { id: string; token: string } }

function Action({ row, title, text, button, doneTitle, done, link }: Shown) {
  const [isDone, setIsDone] = useState(false)
  const forgetSession = useForgetSession()
  const act = useCall(row, {
    failed: 'That didn’t work',
    onSuccess: async () => {
      setIsDone(true)
      // Whatever changed, what this browser knows of the account may be out of date.
      await forgetSession()
    },
  })
  return (
    <>
      <h1 className="text-3xl">{isDone ? doneTitle : title}</h1>
      <p aria-live="polite" className="max-w-xl text-lg text-muted">
        {isDone ? done : text}
      </p>
      {isDone ? (
        <ButtonLink href={row === logins.stopReset ? '/forgot-password' : '/account'}>Continue</ButtonLink>
      ) : (
        <Button pending={act.isPending} onClick={() => act.mutate(link)}>
          {button}
        </Button>
      )}
    </>
  )
}
