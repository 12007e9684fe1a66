import { useEffect, useEffectEvent } from 'react'
import { ApiError } from '#contract/call.ts'
import { purchases } from '#contract/selling/purchases.ts'
import { call } from '#web/api/client.ts'
import { toastError } from '#web/api/use-call.ts'
import { useNewTab } from '#web/api/use-new-tab.ts'

/** Opens the latest invoice in a new tab. */
export const useDownloadInvoice = () =>
  useNewTab(async (id: string) => (await call(purchases.invoice, { id })).invoiceUrl, toastInvoiceError)

type WantedDocument = { document: string; as: 'page' | 'file' }

/** Opens an invoice or credit note in a new tab: Stripe's page about it, or its PDF. */
export const useOpenDocument = () => useNewTab(findDocument, toastInvoiceError)

async function findDocument({ document, as }: WantedDocument) {
  const { viewUrl, pdfUrl } = await call(purchases.document, { document })
  const url = as === 'page' ? viewUrl : pdfUrl
  if (!url) throw new Error('Failed to fetch invoice')
  return url
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
      if (!invoice) throw new Error('Failed to fetch invoice')
      location.assign(await findDocument({ document: invoice.id, as: 'page' }))
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
