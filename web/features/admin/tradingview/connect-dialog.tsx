import * as z from 'zod/mini'
import {
  type TradingViewConnection,
  tradingViewAcceptance,
  tradingViewAdmin,
  tradingViewRisks,
} from '#contract/access/tradingview-admin.ts'
import { CallDialog } from '#web/api/call-dialog.tsx'
import { useData } from '#web/api/client.ts'
import { useSettings } from '#web/api/settings.tsx'
import { Checkbox } from '#web/ui/checkbox.tsx'
import { Field } from '#web/ui/form.tsx'
import { Input, Textarea } from '#web/ui/input.tsx'
import { previewText } from './modes.tsx'

const connectForm = z.object({
  cookies: z.string().check(z.trim(), z.minLength(1, 'Please paste the cookies')),
  host: z.string().check(z.trim(), z.minLength(1, 'Please enter the host')),
  accepts: z.optional(z.string()),
})

const steps = [
  'Log in to TradingView in a private browser window, with the account that owns the scripts.',
  'Open the developer tools (F12) and choose Application, then Cookies.',
  'Copy the values of sessionid and sessionid_sign.',
  'Paste them below as sessionid=…; sessionid_sign=…',
  'Close the window, but don’t log out: logging out ends the session.',
]

/** Asks for two session cookies of TradingView, never for a password. */
export function ConnectDialog(props: { connection: TradingViewConnection; onClose: () => void }) {
  const { connection, onClose } = props
  const isFirstRead = connection.mode === 'dry'
  const { data: preview } = useData(tradingViewAdmin.preview, {}, { enabled: !isFirstRead })
  const { testMode } = useSettings()
  const isSandbox = connection.hasTradingViewSandbox && connection.host === 'sandbox'
  const mustAccept = !connection.risksAcceptedAt && !isSandbox
  return (
    <CallDialog
      title={connection.state === 'off' ? 'Connect TradingView' : 'Reconnect'}
      description={
        isFirstRead
          ? 'Connecting changes nothing yet: it reads your lists. Then you see whom it would add and remove, and turn it on.'
          : preview && `Once it is connected: ${previewText(preview, connection.mode)}`
      }
      className="max-w-xl"
      call={tradingViewAdmin.connect}
      options={{
        failed: 'Failed to connect',
        succeeded: { title: 'Connected', description: 'TradingView accepts the session.' },
      }}
      schema={connectForm}
      inputOf={({ accepts, ...fields }) => ({ ...fields, accepts: accepts === 'on' })}
      button={{ pendingText: 'Checking...', children: 'Connect' }}
      onClose={onClose}
    >
      {mustAccept && <p className="text-sm">{tradingViewRisks}</p>}
      <ol className="flex list-decimal flex-col gap-1.5 pl-5 text-sm">
        {steps.map((step) => (
          <li key={step}>{step}</li>
        ))}
      </ol>
      {isSandbox && testMode === 'open' && (
        <p className="text-sm text-muted">
          This shop is connected to the TradingView stand-in: its cookies are on{' '}
          <a href="/_sandbox/tradingview" className="underline">
            its own page
          </a>
          .
        </p>
      )}
      <Field name="cookies" label="Session cookies" hint="Encrypted before they are stored, and never shown again.">
        <Textarea rows={3} autoComplete="off" spellCheck={false} />
      </Field>
      <Field name="host" label="Host" hint="www.tradingview.com, or your country’s, such as de.tradingview.com.">
        <Input autoComplete="off" spellCheck={false} defaultValue={connection.host} />
      </Field>
      {mustAccept && <Checkbox name="accepts" label={tradingViewAcceptance} />}
    </CallDialog>
  )
}
