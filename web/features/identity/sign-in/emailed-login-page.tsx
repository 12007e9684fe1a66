import { type FormEvent, useEffect } from 'react'
import { ApiError } from '#contract/call.ts'
import { logins } from '#contract/identity/logins.ts'
import { useStartSession, useUser } from '#web/api/session.ts'
import { useCall } from '#web/api/use-call.ts'
import { Button, ButtonLink } from '#web/ui/button.tsx'
import { Link, useNavigation } from '#web/ui/navigation.tsx'
import { AuthCard, Refusal, textLinkClasses } from './auth-card.tsx'
import { pathOnThisSite, returnTo } from './return-path.ts'
import SecondStep from './second-step.tsx'
import { useLeaveOnceLoggedIn } from './use-leave-once-logged-in.ts'

/** Acts only on a click, because mail scanners open links, too. */
export default function EmailedLoginPage() {
  const { search } = useNavigation()
  const query = new URLSearchParams(search)
  const token = query.get('token') ?? ''
  const requestedPath = query.get('return')
  // From the address, because the link may open in another browser than the one that requested it.
  useEffect(() => {
    if (requestedPath) returnTo(pathOnThisSite(requestedPath))
  }, [requestedPath])
  const { user } = useUser()
  const startSession = useStartSession()
  const login = useCall(logins.withLink, {
    succeeded: 'Welcome back!',
    failed: 'Login failed',
    onSuccess: startSession,
  })
  const secondSteps = login.error instanceof ApiError ? login.error.secondSteps : undefined
  // A user who was already logged in stays here until the link has been used.
  const hasUsedLink = login.isSuccess || secondSteps !== undefined
  useLeaveOnceLoggedIn(user !== null && hasUsedLink)
  const isLinkInvalid = login.error instanceof ApiError && login.error.code === 'link-invalid'
  function submit(event: FormEvent) {
    event.preventDefault()
    if (!login.isPending) login.mutate({ token })
  }
  if (secondSteps)
    return (
      <AuthCard title="Log in" description="Your link was right.">
        <SecondStep ways={secondSteps} onLoggedIn={startSession} onBack={login.reset} />
      </AuthCard>
    )
  return (
    <AuthCard title="Log in" description="One click, and you’re in. The link works once.">
      <Refusal error={login.error} />
      {isLinkInvalid ? (
        <ButtonLink href="/login-link">Get a new link</ButtonLink>
      ) : (
        // Without scripts, the form posts to this address, which has the token in its query.
        <form method="post" onSubmit={submit} className="flex flex-col">
          <Button type="submit" pending={login.isPending} pendingText="Logging in...">
            Log In
          </Button>
        </form>
      )}
      <Link href="/auth" className={`${textLinkClasses} self-center text-sm`}>
        Back to Login
      </Link>
    </AuthCard>
  )
}
