import { Link } from '#web/ui/navigation.tsx'
import { TabList } from '#web/ui/tabs.tsx'
import { type Area, addressOf, isTab } from './areas.ts'

export const panelId = 'admin-panel'
export const tabId = ({ name }: Area) => `admin-tab-${name}`

/** The three tabs of docs/product.md. They are links, so each opens in a window of its own, too. */
export function TabStrip({ areas, here }: { areas: Area[]; here: Area | undefined }) {
  const tabs = areas.filter(isTab)
  return (
    <TabList aria-label="Admin" className="max-sm:w-full">
      {tabs.map((area) => (
        <Link
          key={area.name}
          role="tab"
          id={tabId(area)}
          href={addressOf(area)}
          aria-selected={area === here}
          aria-controls={area === here ? panelId : undefined}
          // While none is selected, the first can be reached.
          tabIndex={area === (here ?? tabs[0]) ? 0 : -1}
          className="flex h-9 flex-1 items-center justify-center rounded-sm px-4 text-sm font-medium text-muted transition-colors hover:text-ink aria-selected:bg-raised aria-selected:text-ink aria-selected:shadow-card"
        >
          {area.name}
        </Link>
      ))}
    </TabList>
  )
}
