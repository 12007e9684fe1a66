import { PageHeading } from '#web/ui/page.tsx'

export default function PrivacyPage() {
  return <PageHeading title="Privacy Policy" />
}
