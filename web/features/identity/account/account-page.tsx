import { useState } from 'react'
import { accounts } from '#contract/identity/accounts.ts'
import { factors } from '#contract/identity/factors.ts'
import { useData } from '#web/api/client.ts'
import { useUser } from '#web/api/session.ts'
import { ButtonLink } from '#web/ui/button.tsx'
import { Pending } from '#web/ui/card.tsx'
import { Notice } from '#web/ui/notice.tsx'
import { Container, PageHeading } from '#web/ui/page.tsx'
import { AccountRow } from './account-row.tsx'
import { AppCodes } from './app-codes.tsx'
import { ConfirmFirst } from './confirm-first.tsx'
import { ChangeEmail, ChangePassword } from './credentials.tsx'
import { DeleteAccount } from './delete-account.tsx'
import { Devices } from './devices.tsx'
import { Passkeys } from './passkeys.tsx'
import { NewRecoveryCodes, RecoveryCodes } from './recovery-codes.tsx'

export default function AccountPage() {
  const { user } = useUser()
  const factorData = useData(factors.show, {})
  const [newRecoveryCodes, setNewRecoveryCodes] = useState<string[] | null>(null)
  const mustSetUp = user?.mustSetUp === true
  // The value at the first render, so that the page can say when the setup is done.
  const [hadToSetUp] = useState(mustSetUp)
  const mayAdd = user?.isProven === true
  const loginFactors = factorData.data
  return (
    <>
      <PageHeading title="Account" description="How you log in, where you’re logged in, and what we store about you." />
      <Container className="flex flex-col pb-12">
        <div className="border-t border-ink" />
        {mustSetUp && (
          <Notice tone="warning" className="mt-4">
            {loginFactors?.isRecovering
              ? 'You logged in with a recovery code. Set up a passkey or your authenticator app again to go on.'
              : 'This shop asks its admins for a second step. It takes a minute.'}
          </Notice>
        )}
        {!mustSetUp && loginFactors?.isRecovering && (
          <Notice tone="warning" className="mt-4">
            You logged in with a recovery code. Set up your authenticator app again, or turn it off.
          </Notice>
        )}
        {hadToSetUp && !mustSetUp && (
          <Notice className="mt-4 flex flex-wrap items-center justify-between gap-3">
            That’s it. Your second step is set up.
            <ButtonLink href="/admin" size="sm">
              Go to the admin area
            </ButtonLink>
          </Notice>
        )}
        {!mustSetUp && (
          <>
            <ChangeEmail />
            <ChangePassword />
          </>
        )}
        {!loginFactors && <Pending query={factorData} what="your settings" />}
        {loginFactors && (
          <>
            {!mayAdd && (
              <AccountRow
                title="Confirm your address first"
                text="Then you can add passkeys, an authenticator app, and recovery codes."
              >
                <ConfirmFirst>
                  Passkeys open your account, so confirm your email first. We’ll send the link to
                </ConfirmFirst>
              </AccountRow>
            )}
            {/* Existing factors are listed without a confirmed address, too, so that they can be removed. */}
            {(mayAdd || loginFactors.passkeys.length > 0) && (
              <Passkeys passkeys={loginFactors.passkeys} mayAdd={mayAdd} onCodes={setNewRecoveryCodes} />
            )}
            {(mayAdd || loginFactors.appCodesSince) && (
              <AppCodes since={loginFactors.appCodesSince} mayAdd={mayAdd} onCodes={setNewRecoveryCodes} />
            )}
            {mayAdd && (loginFactors.isRequired || loginFactors.appCodesSince) && (
              <RecoveryCodes remaining={loginFactors.recoveryCodesLeft} onCodes={setNewRecoveryCodes} />
            )}
          </>
        )}
        {!mustSetUp && (
          <>
            <Devices />
            <AccountRow title="Your data" text="Download everything we store about you (JSON).">
              <a
                href={accounts.myData.path}
                download="my-data.json"
                className="rounded-sm text-sm font-medium text-ink underline decoration-field underline-offset-4 hover:decoration-ink"
              >
                Download my data
              </a>
            </AccountRow>
            <DeleteAccount />
          </>
        )}
        {newRecoveryCodes && <NewRecoveryCodes codes={newRecoveryCodes} onClose={() => setNewRecoveryCodes(null)} />}
      </Container>
    </>
  )
}
