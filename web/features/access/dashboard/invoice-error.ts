import { ApiError } from '#contract/call.ts'
import { toastError } from '#web/api/use-call.ts'

/** docs/product.md promises the server's message or this default, never the status. */
export function toastInvoiceError(error: unknown) {
  const words = { title: 'Failed to download invoice', description: 'Failed to fetch invoice' }
  toastError(words, error instanceof ApiError && !error.serverMessage ? undefined : error)
}
