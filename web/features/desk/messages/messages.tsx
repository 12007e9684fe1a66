import { useState } from 'react'
import { type Message, messages } from '#contract/site/messages.ts'
import { messageStates } from '#contract/statuses.ts'
import { Badge } from '#web/ui/badge.tsx'
import { Button } from '#web/ui/button.tsx'
import { EmptyState } from '#web/ui/card.tsx'
import { Cell } from '#web/ui/table.tsx'
import { Time } from '#web/ui/time.tsx'
import { CustomerLink } from '../customers/customer-link.tsx'
import { EndlessTable } from '../lists/endless-table.tsx'
import { NoMatch } from '../lists/no-match.tsx'
import { Chips, Filter, SearchBox } from '../lists/search-box.tsx'
import { usePages } from '../lists/use-pages.ts'
import { useAddress } from '../shell/use-address.ts'
import { MessageDialog } from './message-dialog.tsx'

const choices = { q: 'text', state: messageStates, customerId: 'text' } as const
const columns = ['From', 'Message', 'State', 'Received', 'Actions']

export default function Messages() {
  const [chosen, choose] = useAddress(choices)
  const [opened, setOpened] = useState<Message | null>(null)
  const query = usePages(messages.adminList, chosen)
  return (
    <div className="flex flex-col gap-5">
      <div className="flex flex-wrap items-center gap-3">
        <SearchBox placeholder="Search messages..." q={chosen.q} onSearch={(q) => choose({ q })} />
        <Filter
          aria-label="State"
          value={chosen.state ?? ''}
          onChange={({ target }) => choose({ state: messageStates.find((state) => state === target.value) })}
        >
          <option value="">All messages</option>
          {messageStates.map((state) => (
            <option key={state}>{state}</option>
          ))}
        </Filter>
      </div>
      <Chips
        chips={[
          chosen.customerId && {
            text: 'From one customer',
            remove: () => choose({ customerId: undefined }),
          },
        ]}
      />
      <EndlessTable
        label="Messages"
        noun={['message', 'messages']}
        columns={columns}
        query={query}
        empty={
          Object.keys(chosen).length > 0 ? (
            <NoMatch title="No messages found" />
          ) : (
            <EmptyState
              title="No messages yet"
              description="What people send with the contact form stands here, and you can answer it by email."
            />
          )
        }
        renderRow={(message) => <Row message={message} onOpen={() => setOpened(message)} />}
      />
      {opened && <MessageDialog message={opened} onClose={() => setOpened(null)} />}
    </div>
  )
}

function Row({ message, onOpen }: { message: Message; onOpen: () => void }) {
  const name = `${message.firstName} ${message.lastName}`
  return (
    <>
      <Cell className="max-w-56">
        {message.customerId ? (
          <CustomerLink id={message.customerId}>{name}</CustomerLink>
        ) : (
          <span className="block truncate font-medium">{name}</span>
        )}
        <span className="block truncate text-muted">{message.email}</span>
      </Cell>
      <Cell label="Message" className="max-w-96">
        <span className="line-clamp-2 break-words">{message.message}</span>
      </Cell>
      <Cell label="State">
        {message.answeredAt ? <Badge>answered</Badge> : <Badge tone="warning">open</Badge>}
      </Cell>
      <Cell label="Received" className="whitespace-nowrap">
        <Time value={message.createdAt} />
      </Cell>
      <Cell className="py-1.5 text-right">
        <Button variant={message.answeredAt ? 'ghost' : 'secondary'} size="sm" onClick={onOpen}>
          {message.answeredAt ? 'Read' : 'Answer'}
          <span className="sr-only"> {name}</span>
        </Button>
      </Cell>
    </>
  )
}
