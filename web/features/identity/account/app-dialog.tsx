import type { OutputOf } from '#contract/endpoint.ts'
import { factors } from '#contract/identity/factors.ts'
import * as z from '#contract/zod.ts'
import { useCall } from '#web/api/use-call.ts'
import { CodeInput } from '#web/ui/code-input.tsx'
import { Field } from '#web/ui/form.tsx'
import { FormDialog } from '#web/ui/form-dialog.tsx'
import { refreshes } from './refreshes.ts'

type Props = {
  begun: OutputOf<typeof factors.beginAppCodes>
  onClose: () => void
  onDone: (recoveryCodes: string[] | null) => void
}

export function AppDialog({ begun: { qr, secret, sealed }, onClose, onDone }: Props) {
  const turnOn = useCall(factors.confirmAppCodes, {
    refreshes,
    onSuccess: ({ recoveryCodes }) => onDone(recoveryCodes),
  })
  return (
    <FormDialog
      title="Set up an authenticator app"
      description="Scan this with your app, then enter the code it shows."
      schema={factors.confirmAppCodes.input(z)}
      extra={{ sealed }}
      onSubmit={(typed) => turnOn.mutateAsync(typed)}
      button={{ pendingText: 'Checking...', children: 'Turn on' }}
      onClose={onClose}
    >
      {/* Cameras need dark on light, also in the dark theme. */}
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
    </FormDialog>
  )
}
