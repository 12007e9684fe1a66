import { catalogue } from '#contract/price-list.ts'

export const productName = (productId: string) => catalogue.find(({ id }) => id === productId)?.name ?? ''
