import { useStartSession } from '#web/api/session.ts'
import { Field } from '#web/ui/form.tsx'
import { Link, useNavigation } from '#web/ui/navigation.tsx'
import { AuthCard, textLinkClasses } from './auth-card.tsx'
import { CodeForm, LetterCodeInput } from './code-form.tsx'
import { forgetReturnPath, returnPath } from './return-path.ts'

/** Second step of a login without scripts; with scripts, `/auth` shows it. */
export default function CodePage() {
  const { navigate } = useNavigation()
  const startSession = useStartSession()
  return (
    <AuthCard title="One more step" description="Almost there. Please confirm that it’s you.">
      <CodeForm
        onLoggedIn={async (user) => {
          await startSession(user)
          const nextPage = returnPath()
          forgetReturnPath()
          navigate(nextPage, { replace: true })
        }}
      >
        <Field name="code" label="Code from your authenticator app, or a recovery code">
          <LetterCodeInput autoComplete="one-time-code" />
        </Field>
      </CodeForm>
      <Link href="/auth" className={`${textLinkClasses} self-center text-sm`}>
        Log in another way
      </Link>
    </AuthCard>
  )
}
