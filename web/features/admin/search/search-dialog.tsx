import { Search } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { type FoundPerson, type SearchResult, search } from '#contract/admin/search.ts'
import type { Permission } from '#contract/permissions.ts'
import { useData } from '#web/api/client.ts'
import { useCan } from '#web/api/session.ts'
import { Dialog } from '#web/ui/dialog.tsx'
import { Input } from '#web/ui/input.tsx'
import { type Href, useNavigation } from '#web/ui/navigation.tsx'
import { useCombobox } from '../parts/use-combobox.ts'
import { useDebounced } from '../parts/use-debounced.ts'
import type { ScreenGroup } from '../screens.ts'

type Option = { href: Href; title: string; detail: string }

/** Actions without a screen of their own, titled with the words that people search for. */
const actions: (Option & { needs: Permission })[] = [
  { title: 'Refund a payment', detail: 'Purchases', href: '/admin/purchases', needs: 'money.refund' },
  { title: 'Cancel a subscription', detail: 'Purchases', href: '/admin/purchases', needs: 'purchases.cancel' },
  { title: 'Unlock a buyer', detail: 'Access', href: '/admin/access', needs: 'access.decide' },
  {
    title: 'New discount code or coupon',
    detail: 'Offer',
    href: '/admin/purchases/codes?open=add',
    needs: 'offer.write',
  },
  { title: 'Change a price', detail: 'Offer', href: '/admin/purchases/prices', needs: 'offer.write' },
  { title: 'Export buyers', detail: 'Exports', href: '/admin/exports', needs: 'people.manage' },
  { title: 'Export orders', detail: 'Exports', href: '/admin/exports', needs: 'people.manage' },
  { title: 'Export access requests', detail: 'Exports', href: '/admin/exports', needs: 'people.manage' },
  { title: 'Export newsletter addresses', detail: 'Exports', href: '/admin/exports', needs: 'people.manage' },
  { title: 'Import subscribers', detail: 'Users', href: '/admin/users?open=import', needs: 'purchases.manage' },
  { title: 'Import assets', detail: 'Assets', href: '/admin/assets?open=import', needs: 'content.write' },
  { title: 'Add user', detail: 'Users', href: '/admin/users?open=add', needs: 'people.manage' },
  { title: 'Add purchase', detail: 'Purchases', href: '/admin/purchases?open=add', needs: 'purchases.manage' },
  { title: 'Send reminders', detail: 'Assets', href: '/admin/assets', needs: 'access.manage' },
  { title: 'Connect TradingView', detail: 'Access', href: '/admin/access/connection', needs: 'access.manage' },
  { title: 'Send a test email', detail: 'Settings', href: '/admin/settings', needs: 'settings.write' },
]

type Verb = { word: string; title: string; needs: Permission; pathOf: (person: FoundPerson) => Href }

/** Verbs that may precede a name. They lead to a dialog or a list, where the user still has to confirm. */
const verbs: Verb[] = [
  { word: 'refund', title: 'Refund', needs: 'money.refund', pathOf: ({ id }) => `/admin/customers/${id}?do=refund` },
  {
    word: 'cancel',
    title: 'Cancel the subscription of',
    needs: 'purchases.cancel',
    pathOf: ({ id }) => `/admin/customers/${id}?do=cancel`,
  },
  { word: 'write', title: 'Write to', needs: 'customers.help', pathOf: ({ id }) => `/admin/customers/${id}?do=write` },
  {
    word: 'unlock',
    title: 'Unlock',
    needs: 'access.decide',
    pathOf: ({ email }) => `/admin/access?q=${encodeURIComponent(email)}`,
  },
]

/** Splits "refund rita" into a verb and a person; other text is a person. */
function splitVerb(text: string) {
  const [firstWord = '', ...otherWords] = text.split(/\s+/)
  const verb = verbs.find(({ word }) => word === firstWord.toLowerCase())
  if (!verb || otherWords.length === 0) return { verb: undefined, person: text }
  return { verb, person: otherWords.join(' ') }
}

export default function SearchDialog({ groups, onClose }: { groups: ScreenGroup[]; onClose: () => void }) {
  const listedScreens = groups.flatMap(({ listed }) => listed)
  const screenOptions = listedScreens.map(({ path, title }): Option => ({ href: path, title, detail: 'Go there' }))
  const { navigate } = useNavigation()
  const can = useCan()
  const [text, setText] = useState('')
  const debouncedText = useDebounced(text.trim())
  const { verb, person: q } = splitVerb(debouncedText)
  const query = useData(search.adminFind, { q }, { enabled: q.length > 1 && can('customers.read') })
  const result = q.length > 1 ? query.data : undefined
  const allowedVerb = verb && can(verb.needs) ? verb : undefined
  const searchText = text.trim().toLowerCase()
  const matchesText = ({ title }: Option) => searchText.split(/\s+/).every((word) => title.toLowerCase().includes(word))
  const options = (result?.people ?? []).map((person) => personOption(person, allowedVerb))
  if (result?.hasMore)
    options.push({ title: 'Show all', detail: 'Users', href: `/admin/users?q=${encodeURIComponent(q)}` })
  options.push(...screenOptions.filter(matchesText))
  if (searchText) options.push(...actions.filter((action) => can(action.needs) && matchesText(action)))
  const isWaiting = searchText !== debouncedText.toLowerCase() || (q.length > 1 && query.isFetching)
  const { selectFirst, field, list, option } = useCombobox(options.length, (index) => {
    const pickedOption = options[index]
    if (!pickedOption) return
    onClose()
    navigate(pickedOption.href)
  })
  const statusText = () => {
    if (isWaiting) return 'Searching...'
    return query.isError ? 'We couldn’t search. Please try again.' : resultCountText(result)
  }
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => input.current?.focus(), [])

  return (
    <Dialog title="Search" onClose={onClose} className="max-w-xl sm:mt-[12vh]">
      <div className="relative">
        <Search className="pointer-events-none absolute top-1/2 left-3.5 size-4 -translate-y-1/2 text-muted" />
        <Input
          {...field}
          aria-label="Name, email, TradingView username, invoice or payment id"
          aria-expanded="true"
          // Ignores Enter until the response arrives, because it would pick an outdated result.
          onKeyDown={(event) => (event.key === 'Enter' && isWaiting ? undefined : field.onKeyDown(event))}
          spellCheck={false}
          ref={input}
          maxLength={100}
          placeholder="Name, email, TradingView username, invoice or payment id"
          className="pl-10"
          value={text}
          onChange={(event) => {
            setText(event.target.value)
            selectFirst()
          }}
        />
      </div>
      <div {...list} aria-label="Results" className="max-h-[50vh] overflow-y-auto">
        {options.map(({ href, title, detail }, index) => (
          <div key={`${title} ${href}`} {...option(index, 'flex justify-between gap-x-4 py-2.5 max-sm:flex-col')}>
            <span className="font-medium wrap-anywhere sm:truncate">{title}</span>
            <span className="text-muted wrap-anywhere sm:truncate">{detail}</span>
          </div>
        ))}
      </div>
      <output className="block min-h-5 px-3 text-sm text-muted">{statusText()}</output>
    </Dialog>
  )
}

/** With a verb, the option leads to its action, otherwise to the customer's page. */
function personOption(person: FoundPerson, verb: Verb | undefined): Option {
  const { id, name, email, tradingViewUsername } = person
  const shownName = name || email
  return {
    href: verb ? verb.pathOf(person) : `/admin/customers/${id}`,
    title: verb ? `${verb.title} ${shownName}` : shownName,
    detail: tradingViewUsername ? `${email}, ${tradingViewUsername}` : email,
  }
}

function resultCountText(result: SearchResult | undefined) {
  if (!result) return ''
  const count = result.people.length
  if (result.hasMore) return `More than ${count} people found`
  if (count === 0) return 'No people found'
  return count === 1 ? '1 person found' : `${count} people found`
}
