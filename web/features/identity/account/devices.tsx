import { Monitor } from 'lucide-react'
import { accounts, type Device } from '#contract/identity/accounts.ts'
import { credentials } from '#contract/identity/credentials.ts'
import { deviceName } from '#contract/identity/device-name.ts'
import { CallButton } from '#web/api/call-button.tsx'
import { useData } from '#web/api/client.ts'
import { useForgetSession } from '#web/api/session.ts'
import { Pending } from '#web/ui/card.tsx'
import { useNavigation } from '#web/ui/navigation.tsx'
import { Badge } from '#web/ui/notice.tsx'
import { Time } from '#web/ui/time.tsx'
import { AccountRow } from './account-row.tsx'

const refreshes = [accounts.devices]

export function Devices() {
  const devices = useData(accounts.devices, {})
  const currentFirst = devices.data?.toSorted((a, b) => Number(b.isCurrent) - Number(a.isCurrent)) ?? []
  const { navigate } = useNavigation()
  const forgetSession = useForgetSession()
  return (
    <AccountRow title="Where you’re logged in" text="Log out any device that isn’t yours.">
      {!devices.data && <Pending query={devices} what="your devices" className="h-12 w-full" />}
      <ul className="flex w-full flex-col gap-4">
        {currentFirst.map((device) => (
          <DeviceRow key={device.id} device={device} />
        ))}
      </ul>
      <div className="flex w-full flex-wrap gap-2 max-sm:flex-col">
        {currentFirst.length > 1 && (
          <CallButton
            call={credentials.logoutElsewhere}
            input={{}}
            options={{ refreshes, succeeded: 'Logged out everywhere else', failed: 'Failed to log out' }}
            variant="secondary"
          >
            Log out everywhere else
          </CallButton>
        )}
        <CallButton
          call={accounts.logoutEverywhere}
          input={{}}
          options={{
            succeeded: 'Logged out everywhere',
            failed: 'Failed to log out',
            onSuccess: async () => {
              await forgetSession()
              // Same delay as after a logout (docs/product.md).
              setTimeout(() => navigate('/'), 50)
            },
          }}
          variant="secondary"
        >
          Log out everywhere
        </CallButton>
      </div>
    </AccountRow>
  )
}

function DeviceRow({ device }: { device: Device }) {
  const name = deviceName(device.userAgent)
  return (
    <li className="flex items-center gap-3">
      <Monitor aria-hidden="true" className="size-5 shrink-0 text-muted" />
      <div className="min-w-0 flex-1">
        <p className="truncate text-sm font-medium">{name}</p>
        <p className="text-sm break-words text-muted">
          {device.ip}, last used <Time value={device.lastUsedAt} />
        </p>
      </div>
      {device.isCurrent ? (
        <Badge tone="good">this device</Badge>
      ) : (
        <CallButton
          call={accounts.logoutDevice}
          input={{ id: device.id }}
          options={{ refreshes, succeeded: 'Device logged out', failed: 'Failed to log out' }}
          variant="ghost"
          size="sm"
          aria-label={`Log out ${name}`}
        >
          Log out
        </CallButton>
      )}
    </li>
  )
}
