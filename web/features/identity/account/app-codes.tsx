import { useState } from 'react'
import type { OutputOf } from '#contract/endpoint.ts'
import { factors } from '#contract/identity/factors.ts'
import { CallButton } from '#web/api/call-button.tsx'
import { CallDialog } from '#web/api/call-dialog.tsx'
import { CodeInput } from '#web/ui/code-input.tsx'
import { Field } from '#web/ui/form.tsx'
import { Time } from '#web/ui/time.tsx'
import { toast } from '#web/ui/toast.tsx'
import { AccountRow, factorQueries, StateText } from './account-row.tsx'

type AppCodeSetup = OutputOf<typeof factors.beginAppCodes>
type Props = { since: string | null; mayAdd: boolean; onCodes: (codes: string[]) => void }

export function AppCodes({ since, mayAdd, onCodes }: Props) {
  const [setup, setSetup] = useState<AppCodeSetup | null>(null)
  return (
    <AccountRow title="Authenticator app" text="Adds a six-digit code from an app after your password.">
      <StateText>
        {since ? (
          <>
            On since <Time value={since} />.
          </>
        ) : (
          'Off'
        )}
      </StateText>
      <div className="flex flex-wrap gap-3 max-sm:flex-col max-sm:items-start">
        {mayAdd && (
          <CallButton
            call={factors.beginAppCodes}
            input={{}}
            options={{ failed: 'Failed to set up the app', onSuccess: setSetup }}
            variant="secondary"
          >
            {since ? 'Set up another app' : 'Set up an app'}
          </CallButton>
        )}
        {since && (
          <CallButton
            call={factors.removeAppCodes}
            input={{}}
            options={{
              refreshes: factorQueries,
              succeeded: 'Authenticator app turned off',
              failed: 'Failed to turn it off',
            }}
            question={{
              title: 'Turn off app codes',
              description: 'After your password, we’ll no longer ask for a code.',
              action: 'Turn off',
              destructive: true,
            }}
            variant="dangerGhost"
            className="max-sm:-ml-5"
          >
            Turn off
          </CallButton>
        )}
      </div>
      {setup && (
        <AppDialog
          setup={setup}
          onClose={() => setSetup(null)}
          onDone={(codes) => {
            // Without a toast, because on a phone it would cover the codes.
            if (codes) onCodes(codes)
            else toast({ title: 'Authenticator app turned on' })
          }}
        />
      )}
    </AccountRow>
  )
}

function AppDialog(props: {
  setup: AppCodeSetup
  onClose: () => void
  onDone: (recoveryCodes: string[] | null) => void
}) {
  const { qr, secret, sealed } = props.setup
  return (
    <CallDialog
      title="Set up an authenticator app"
      description="Scan this with your app, then enter the code it shows."
      call={factors.confirmAppCodes}
      extra={{ sealed }}
      options={{
        refreshes: factorQueries,
        failed: 'Failed to turn it on',
        onSuccess: ({ recoveryCodes }) => props.onDone(recoveryCodes),
      }}
      button={{ pendingText: 'Checking...', children: 'Turn on' }}
      onClose={props.onClose}
    >
      {/* Black on white in the dark theme, too, because cameras need it. */}
      <svg
        role="img"
        aria-label="QR code for your authenticator app"
        viewBox={`0 0 ${qr.size} ${qr.size}`}
        shapeRendering="crispEdges"
        className="w-full max-w-52 self-center rounded-md bg-white"
      >
        <path d={qr.path} fill="#000" />
      </svg>
      <p className="text-sm text-muted">
        Can’t scan it? Enter this key instead:{' '}
        <code className="font-mono text-ink select-all">{secret.match(/.{4}/g)?.join(' ')}</code>
      </p>
      <Field name="code" label="Code from the app">
        <CodeInput />
      </Field>
    </CallDialog>
  )
}
