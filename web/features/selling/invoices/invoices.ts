import { useEffect, useEffectEvent } from 'react'
import { ApiError } from '#contract/call.ts'
import { purchases } from '#contract/selling/purchases.ts'
import { call } from '#web/api/client.ts'
import { toastError } from '#web/api/use-call.ts'
import { useNewTab } from '#web/api/use-new-tab.ts'

export const useDownloadInvoice = () =>
  useNewTab(async (id: string) => (await call(purchases.invoice, { id })).invoiceUrl, toastInvoiceError)

type DocumentRequest = { document: string; as: 'page' | 'file' }

export const useOpenDocument = () => useNewTab(documentUrl, toastInvoiceError)

/** Asks for the document's address with every click, because it expires. */
async function documentUrl({ document, as }: DocumentRequest) {
  const { viewUrl, pdfUrl } = await call(purchases.document, { document })
  const url = as === 'page' ? viewUrl : pdfUrl
  if (!url) throw new Error('Failed to fetch invoice')
  return url
}

/** Forwards a link from a receipt to its invoice, or to the latest one. */
export function useMailedInvoice() {
  const openFromAddress = useEffectEvent(async () => {
    const query = new URLSearchParams(location.search)
    const id = query.get('purchase')
    if (!id) return
    history.replaceState(history.state, '', location.pathname)
    try {
      const invoices = await call(purchases.invoices, { id })
      const linkedInvoiceId = query.get('invoice')
      const invoice = invoices.find((candidate) => candidate.id === linkedInvoiceId) ?? invoices[0]
      if (!invoice) throw new Error('Failed to fetch invoice')
      location.assign(await documentUrl({ document: invoice.id, as: 'page' }))
    } catch (error) {
      toastInvoiceError(error)
    }
  })
  useEffect(() => void openFromAddress(), [])
}

/** docs/product.md promises the server's message or this default, never the status. */
function toastInvoiceError(error: unknown) {
  const message = { title: 'Failed to download invoice', description: 'Failed to fetch invoice' }
  const hasOnlyStatus = error instanceof ApiError && !error.serverMessage
  toastError(message, hasOnlyStatus ? undefined : error)
}
