import { access, type OwnAccess } from '#contract/access/access.ts'
import { privatePackage } from '#contract/access/package.ts'
import { useData } from '#web/api/client.ts'
import { OutsideButton } from '#web/ui/button.tsx'

/** Polls every second while something is being unlocked. */
export const useAccess = () =>
  useData(access.mine, {}, { refetchInterval: (rows) => rows?.some(isBeingUnlocked) === true && 1000 })

const isBeingUnlocked = ({ state, problem }: OwnAccess) => state === 'unlocking' && !problem

export function OpenIndicator({ product, size = 'md' }: { product: string; size?: 'md' | 'lg' }) {
  const { data: links } = useData(privatePackage.show, { product })
  return (
    links?.indicatorUrl && (
      <OutsideButton href={links.indicatorUrl} size={size} className="self-start">
        Open the indicator<span className="sr-only"> on TradingView, in a new tab</span>
      </OutsideButton>
    )
  )
}
