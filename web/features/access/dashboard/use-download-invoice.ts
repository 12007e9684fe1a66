import { useMutation } from '@tanstack/react-query'
import { purchases } from '#contract/selling/purchases.ts'
import { call } from '#web/api/client.ts'
import { toastInvoiceError } from './invoice-error.ts'

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
