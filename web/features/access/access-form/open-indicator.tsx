import { access, type OwnAccess } from '#contract/access/access.ts'
import { privatePackage } from '#contract/access/package.ts'
import { useData } from '#web/api/client.ts'

export const useAccess = () =>
  useData(access.mine, {}, { refetchInterval: (mine) => mine?.some(isOnItsWay) === true && 1000 })

const isOnItsWay = ({ state, problem, oldUsername }: OwnAccess) =>
  (state === 'unlocking' && !problem) || (state === 'unlocked' && oldUsername !== null)

export function OpenIndicator({ product }: { product: string }) {
  const { data: links } = useData(privatePackage.show, { product })
  return (
    links?.indicatorUrl && (
      <a
        href={links.indicatorUrl}
        target="_blank"
        rel="noreferrer"
        className="inline-flex h-9 shrink-0 items-center self-start rounded-md bg-accent px-3 text-sm font-medium text-on-accent shadow-card hover:bg-accent-strong"
      >
        Open the indicator<span className="sr-only"> on TradingView, in a new tab</span>
      </a>
    )
  )
}
