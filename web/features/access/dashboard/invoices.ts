import { useMutation } from '@tanstack/react-query'
import { useEffect, useEffectEvent } from 'react'
import { ApiError } from '#contract/call.ts'
import { purchases } from '#contract/selling/purchases.ts'
import { call } from '#web/api/client.ts'
import { toastError } from '#web/api/use-call.ts'

/** Opens the latest invoice in a new tab. */
export function useDownloadInvoice() {
  return useMutation({
    mutationFn: async (id: string) => {
      // Opened during the click itself; any later and the browser would block it as a pop-up.
      const tab = window.open('', '_blank')
      try {
        const { invoiceUrl } = await call(purchases.invoice, { id })
        if (!tab) {
          location.assign(invoiceUrl)
          return
        }
        tab.opener = null
        tab.location.replace(invoiceUrl)
      } catch (error) {
        tab?.close()
        throw error
      }
    },
    onError: toastInvoiceError,
  })
}

/** A receipt's link lands here and continues to its invoice, or to the latest one. */
export function useMailedInvoice() {
  const arrive = useEffectEvent(async () => {
    const wanted = new URLSearchParams(location.search)
    const id = wanted.get('purchase')
    if (!id) return
    history.replaceState(history.state, '', location.pathname)
    try {
      const found = await call(purchases.invoices, { id })
      const invoice = found.find((each) => each.id === wanted.get('invoice')) ?? found[0]
      if (!invoice?.invoiceUrl) throw new Error('Failed to fetch invoice')
      location.assign(invoice.invoiceUrl)
    } catch (error) {
      toastInvoiceError(error)
    }
  })
  useEffect(() => void arrive(), [])
}

/** docs/product.md promises the server's message or this default, never the status. */
function toastInvoiceError(error: unknown) {
  const words = { title: 'Failed to download invoice', description: 'Failed to fetch invoice' }
  toastError(words, error instanceof ApiError && !error.serverMessage ? undefined : error)
}
