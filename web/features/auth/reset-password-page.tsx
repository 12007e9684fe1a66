import { PageHeading } from '#web/ui/page.tsx'

export default function ResetPasswordPage() {
  return <PageHeading title="Reset password" />
}
