import { useState } from 'react'
import { useSoldPlans } from '#web/api/settings.tsx'
import { Button } from '#web/ui/button.tsx'
import { DialogButtons } from '#web/ui/dialog.tsx'
import { Input, Select } from '#web/ui/input.tsx'
import {
  type Column,
  type Mapping,
  neededColumns,
  type ProductName,
  type Source,
  type Unmapped,
} from './column-mapping.ts'

const columnTitles: Record<Column, string> = {
  email: 'Email',
  name: 'Name',
  tradingViewUsername: 'TradingView username',
  product: 'Product',
  plan: 'Plan',
  paidUntil: 'Paid until',
}

function useWholeFileOptions(products: ProductName[]): Partial<Record<Column, (readonly [string, string])[]>> {
  return {
    product: products.map(({ slug, name }) => [`text ${slug}`, `${name} for everyone`] as const),
    plan: useSoldPlans().map(({ key, name }) => [`text ${key}`, `${name} for everyone`] as const),
    paidUntil: [['text ', 'The same day for everyone']],
  }
}

/** Option of the select for a source; `sourceOfOption` reverses it. */
function optionOf(source: Source | undefined) {
  if (source === undefined) return ''
  return 'place' in source ? `place ${source.place}` : `text ${source.text}`
}

function sourceOfOption(value: string): Source | undefined {
  if (value.startsWith('place ')) return { place: Number(value.slice('place '.length)) }
  return value.startsWith('text ') ? { text: value.slice('text '.length) } : undefined
}

/** False while a day for the whole file is not chosen yet. */
const isChosen = (source: Source | undefined) => source !== undefined && ('place' in source || source.text !== '')

type ColumnChoiceProps = {
  unmapped: Unmapped
  products: ProductName[]
  onClose: () => void
  onChosen: (mapping: Mapping) => void
}

export function ColumnChoice(props: ColumnChoiceProps) {
  const { titles: fileTitles, samples, guessed } = props.unmapped
  const [mapping, setMapping] = useState<Mapping>(guessed)
  const wholeFileOptions = useWholeFileOptions(props.products)
  const requiredColumns = neededColumns(props.products)
  const columns = (Object.keys(columnTitles) as Column[]).filter(
    (column) => column !== 'product' || requiredColumns.includes(column),
  )
  function choose(column: Column, source: Source | undefined) {
    const newMapping = { ...mapping }
    if (source) newMapping[column] = source
    else delete newMapping[column]
    setMapping(newMapping)
  }
  const isComplete = requiredColumns.every((column) => isChosen(mapping[column]))
  return (
    <>
      <p className="text-sm font-medium">Which column is which? Your choice is remembered for files like this one.</p>
      <div className="flex flex-col gap-4">
        {columns.map((column) => {
          const source = mapping[column]
          const isDay = column === 'paidUntil' && source !== undefined && 'text' in source
          const values = source && 'place' in source ? samples.map((cells) => cells[source.place] ?? '') : []
          return (
            <div key={column} className="flex flex-col gap-1.5">
              <label className="flex flex-col gap-1.5 text-sm font-medium">
                {columnTitles[column]}
                {!requiredColumns.includes(column) && ' (optional)'}
                <Select
                  value={isDay ? 'text ' : optionOf(source)}
                  onChange={({ target }) => choose(column, sourceOfOption(target.value))}
                  options={[
                    ['', 'Not in this file'],
                    ...fileTitles.map((title, place) => [`place ${place}`, title || `Column ${place + 1}`] as const),
                    ...(wholeFileOptions[column] ?? []),
                  ]}
                />
              </label>
              {isDay && (
                <Input
                  type="date"
                  aria-label="Paid until, for everyone"
                  value={source.text}
                  onChange={({ target }) => choose(column, { text: target.value })}
                />
              )}
              {values.some(Boolean) && (
                <span className="text-xs wrap-anywhere text-muted">{values.filter(Boolean).join(' · ')}</span>
              )}
            </div>
          )
        })}
      </div>
      <DialogButtons onClose={props.onClose}>
        <Button disabled={!isComplete} onClick={() => props.onChosen(mapping)}>
          Continue
        </Button>
      </DialogButtons>
    </>
  )
}
