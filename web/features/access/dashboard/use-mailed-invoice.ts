import { useEffect, useEffectEvent } from 'react'
import { purchases } from '#contract/selling/purchases.ts'
import { call } from '#web/api/client.ts'
import { toastInvoiceError } from './invoice-error.ts'

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
