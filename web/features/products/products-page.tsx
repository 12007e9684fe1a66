import { PageHeading } from '#web/ui/page.tsx'

export default function ProductsPage() {
  return <PageHeading title="Products" />
}
