import { PageHeading } from '#web/ui/page.tsx'

export default function CheckoutPage() {
  return <PageHeading title="Checkout" />
}
