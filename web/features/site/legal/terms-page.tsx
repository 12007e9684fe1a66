import { termsInForce } from '#contract/selling/legal/in-force.ts'
import { useData } from '#web/api/client.ts'
import { Pending } from '#web/ui/card.tsx'
import { useNavigation } from '#web/ui/navigation.tsx'
import { Container } from '#web/ui/page.tsx'
import { Loading } from '#web/ui/spinner.tsx'
import { LegalText } from './legal-text.tsx'

export default function TermsPage() {
  const version = new URLSearchParams(useNavigation().search).get('version')
  const query = useData(termsInForce.show, version ? { version } : {})
  const { data } = query
  if (!data && query.isError)
    return (
      <Container className="pt-14 sm:pt-20">
        <Pending query={query} what="the terms" />
      </Container>
    )
  if (!data) return <Loading />
  return (
    <LegalText
      title="Terms of Service"
      lead="What you buy, what it costs, how it ends, and what we are liable for. In plain words wherever the law allows."
      changedOn={data.since.slice(0, 10)}
      aside={<p className="text-sm text-muted">Version {data.version}</p>}
      sections={data.sections}
    />
  )
}
