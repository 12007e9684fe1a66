import { products } from '#contract/price-list.ts'

export const productName = (productId: string) => products.find(({ id }) => id === productId)?.name ?? ''
