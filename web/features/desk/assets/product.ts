import { catalog } from '#contract/selling/catalog.ts'
import { call } from '#web/api/client.ts'
import { toast } from '#web/ui/toast.tsx'

/** Assets belong to a product, and only the server knows its id. */
export async function productId(): Promise<string> {
  try {
    return (await call(catalog.product, { slug: 'rebound-sigma-pro' })).id
  } catch (error) {
    toast({ title: 'Failed to get product', description: 'Please try again.', destructive: true })
    throw error
  }
}
