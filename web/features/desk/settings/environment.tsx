import { ChevronDown } from 'lucide-react'
import { editableSettings, type Setting } from '#contract/desk/settings.ts'
import { Badge } from '#web/ui/badge.tsx'
import { Cell, HeadCell, Table } from '#web/ui/table.tsx'

/** The rest of what the shop runs with, which only the environment can change. */
export function Environment({ settings }: { settings: Setting[] }) {
  const rest = settings.filter(({ name }) => !editableSettings.some((editable) => editable === name))
  return (
    <details className="group rounded-lg border border-line bg-surface shadow-card">
      <summary className="flex h-16 cursor-pointer list-none items-center rounded-lg px-6">
        <h2 className="text-lg">Fixed by the environment</h2>
        <ChevronDown
          aria-hidden="true"
          className="ml-auto size-5 text-muted transition-transform group-open:rotate-180"
        />
      </summary>
      <div className="flex flex-col gap-4 px-6 pb-6">
        <p className="text-sm text-muted">
          Set in the environment or in .env; .env.example explains each. A change takes a restart.
        </p>
        <Table label="Settings of the environment">
          <thead>
            <tr>
              <HeadCell>Name</HeadCell>
              <HeadCell>Value</HeadCell>
            </tr>
          </thead>
          <tbody>
            {rest.map(({ name, value, source }) => (
              <tr key={name}>
                <Cell className="py-2 font-mono text-xs">{name}</Cell>
                <Cell className="py-2 text-xs break-all">
                  {value === null ? (
                    <Badge>{source === 'default' ? 'not set' : 'set, secret'}</Badge>
                  ) : (
                    <>
                      {value || <span className="text-muted">empty</span>}
                      {source === 'default' && <span className="text-muted"> (default)</span>}
                    </>
                  )}
                </Cell>
              </tr>
            ))}
          </tbody>
        </Table>
      </div>
    </details>
  )
}
