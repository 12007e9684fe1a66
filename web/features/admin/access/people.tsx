import { type AccessPerson, accessAdmin } from '#contract/access/access-admin.ts'
import { accessStateTexts } from '#contract/statuses.ts'
import { useSettings } from '#web/api/settings.tsx'
import { classes } from '#web/ui/classes.ts'
import { Badge } from '#web/ui/notice.tsx'
import { Cell } from '#web/ui/table.tsx'
import { Time } from '#web/ui/time.tsx'
import { CustomerCell } from '../customers/customer-link.tsx'
import { RecordList } from '../lists/record-list.tsx'
import { hiddenActions } from '../lists/record-table.tsx'
import { AccessMenu, stateTones } from './access-menu.tsx'
import { useAccessActions } from './actions.tsx'

const stateOptions = Object.entries(accessStateTexts)

export default function People() {
  const actions = useAccessActions()
  const { products } = useSettings()
  return (
    <div className="flex flex-col gap-4">
      {actions.undoBar}
      <RecordList
        label="People"
        noun={['person', 'people']}
        countBy={({ user }) => user.id}
        columns={['Customer', 'TradingView username', 'Access', 'On TradingView', 'Until', hiddenActions]}
        list={accessAdmin.people}
        search="Search people..."
        filters={{ state: { label: 'Access', all: 'Everyone', options: stateOptions } }}
        chips={{ endRequested: { yes: 'Declined, still paying' } }}
        none={{ title: 'No one has access yet', description: 'Buyers and their access appear here.' }}
        renderRow={(person) => (
          <>
            <CustomerCell user={person.user} />
            <Cell label="TradingView username" className="max-w-56 font-mono text-sm font-medium break-all">
              {person.username ?? '–'}
              {products.length > 1 && (
                <span className="block font-sans text-xs font-normal text-muted">{person.product}</span>
              )}
            </Cell>
            <Cell label="Access">
              <Badge tone={stateTones[person.state]}>{accessStateTexts[person.state]}</Badge>
              <span className="block text-xs whitespace-nowrap text-muted">
                since <Time value={person.stateSince} />
              </span>
            </Cell>
            <Cell label="On TradingView">
              <ScriptMarks lists={person.lists} />
            </Cell>
            <Cell label="Until" className="whitespace-nowrap">
              <AccessEnd person={person} />
            </Cell>
            <Cell className="py-1.5">
              <AccessMenu person={person} actions={actions} />
            </Cell>
          </>
        )}
      />
    </div>
  )
}

/** Initial of the script's last word, because the scripts of a product share their first words. */
const initialOf = (script: string) => script.trim().split(/\s+/).at(-1)?.charAt(0).toUpperCase()

function AccessEnd({ person: { until, reason } }: { person: AccessPerson }) {
  if (!reason) return <span className="text-muted">no longer paid</span>
  return until ? <Time value={until} /> : 'no end'
}

function presenceText(isPresent: boolean | null) {
  if (isPresent === null) return 'not checked yet'
  return isPresent ? 'yes' : 'no'
}

function ScriptMarks({ lists }: { lists: AccessPerson['lists'] }) {
  if (lists.length === 0) return '–'
  return (
    <ul className="flex gap-1.5">
      {lists.map(({ script, isPresent }) => {
        const text = `${script}: ${presenceText(isPresent)}`
        return (
          <li key={script} title={text}>
            <span className="sr-only">{text}</span>
            <span
              aria-hidden="true"
              className={classes(
                'grid size-6 place-items-center rounded-full border text-xs font-medium',
                isPresent ? 'border-accent bg-accent text-on-accent' : 'border-field text-muted',
                isPresent === null && 'border-dashed',
              )}
            >
              {initialOf(script)}
            </span>
          </li>
        )
      })}
    </ul>
  )
}
