import { PageHeading } from '#web/ui/page.tsx'

export default function ReboundSigmaProPage() {
  return <PageHeading title="Rebound Sigma Pro" />
}
