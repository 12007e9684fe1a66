import { purchases } from '#contract/selling/purchases.ts'
import { messageOf, useCall } from '#web/api/use-call.ts'
import { Button, ButtonLink } from '#web/ui/button.tsx'
import { useNavigation } from '#web/ui/navigation.tsx'
import { Notice } from '#web/ui/notice.tsx'
import { Container } from '#web/ui/page.tsx'

/** Acts only on a click, because mail scanners open links, too. */
export default function InvoicePage() {
  const { search } = useNavigation()
  const query = new URLSearchParams(search)
  const purchase = query.get('purchase') ?? ''
  const invoice = query.get('invoice') ?? ''
  const token = query.get('token') ?? ''
  const openInvoice = useCall(purchases.openInvoice, { onSuccess: ({ invoiceUrl }) => location.assign(invoiceUrl) })
  return (
    <Container className="flex flex-col items-start gap-5 py-20 sm:py-28">
      <h1 className="text-3xl">Your invoice</h1>
      <p className="max-w-xl text-lg text-muted">
        This link opens your invoice once. On your dashboard, you’ll find all of them.
      </p>
      {openInvoice.error && <Notice tone="bad">{messageOf(openInvoice.error)}</Notice>}
      <div className="flex flex-wrap gap-3">
        <Button
          pending={openInvoice.isPending || openInvoice.isSuccess}
          pendingText="Opening..."
          onClick={() => openInvoice.mutate({ purchase, invoice, token })}
        >
          Open the invoice
        </Button>
        <ButtonLink href={`/dashboard?purchase=${purchase}&invoice=${invoice}`} variant="secondary">
          Go to your dashboard
        </ButtonLink>
      </div>
    </Container>
  )
}
