import { prices } from '#contract/selling/prices.ts'
import { useData } from '#web/api/client.ts'
import { Select } from '#web/ui/input.tsx'

export const useProducts = () => useData(prices.adminProducts, {}).data ?? []

type ProductChoiceProps = {
  products: { id: string; name: string }[]
  value: string | undefined
  onChange: (id: string) => void
}

export function ProductChoice({ products, value, onChange }: ProductChoiceProps) {
  if (products.length < 2) return null
  return (
    <Select
      aria-label="Product"
      options={products.map(({ id, name }) => [id, name])}
      value={value}
      onChange={({ target }) => onChange(target.value)}
    />
  )
}
