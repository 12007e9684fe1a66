import { PageHeading } from '#web/ui/page.tsx'

export default function SuccessPage() {
  return <PageHeading title="Payment Successful!" />
}
