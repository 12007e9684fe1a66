import { PageHeading } from '#web/ui/page.tsx'

export default function ForgotPasswordPage() {
  return <PageHeading title="Forgot password" />
}
