import { products } from '#contract/selling/price-list.ts'

export const productName = (productId: string) => products.find(({ id }) => id === productId)?.name ?? ''
