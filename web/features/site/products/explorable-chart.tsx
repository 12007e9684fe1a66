import { MousePointerClick } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { ChartPanel } from '#web/features/site/showcase/chart-panel.tsx'
import { ExampleChart } from '#web/features/site/showcase/example-chart.tsx'
import { Button } from '#web/ui/button.tsx'
import { Spinner } from '#web/ui/spinner.tsx'

const InteractiveChart = lazy(() => import('./interactive-chart.tsx'))

const size = 'h-80 w-full sm:h-[28rem]'

export function ExplorableChart({ product }: { product: string }) {
  const [exploring, setExploring] = useState(false)
  return (
    <ChartPanel
      product={product}
      action={
        <Button variant="secondary" size="sm" className="font-sans" onClick={() => setExploring(!exploring)}>
          <MousePointerClick aria-hidden="true" className="size-4 max-sm:hidden" />
          {exploring ? 'Static' : 'Interactive'}
          <span className="sr-only">chart</span>
        </Button>
      }
    >
      {exploring ? (
        <Suspense
          fallback={
            <output aria-label="Loading the chart" className={`grid place-items-center ${size}`}>
              <Spinner className="size-8 text-accent" />
            </output>
          }
        >
          <InteractiveChart className={size} />
        </Suspense>
      ) : (
        <ExampleChart className={size} />
      )}
    </ChartPanel>
  )
}
