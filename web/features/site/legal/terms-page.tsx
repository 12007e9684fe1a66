import { termsVersion } from '#contract/selling/legal/consumer-law.ts'
import { terms } from '#contract/selling/legal/terms.ts'
import { useSettings } from '#web/api/settings.tsx'
import { LegalText } from './legal-text.tsx'
import { useParty } from './seller.tsx'

export default function TermsPage() {
  const party = useParty()
  const { consumerLaw, tax, products } = useSettings()
  const sold = products.filter(({ state }) => state === 'on sale')
  return (
    <LegalText
      title="Terms of Service"
      lead="What you buy, what it costs, how it ends, and what we are liable for. In plain words wherever the law allows."
      changed={termsVersion}
      sections={terms(party, { consumerLaw, taxNote: tax.note, sold })}
    />
  )
}
