import { PageHeading } from '#web/ui/page.tsx'

export default function AboutPage() {
  return <PageHeading title="About" />
}
