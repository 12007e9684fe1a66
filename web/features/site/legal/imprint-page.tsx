import { link, sentence } from '#contract/selling/legal/text.ts'
import { useSettings } from '#web/api/settings.tsx'
import { type LegalSection, LegalText, SellerAddress } from './legal-text.tsx'

export default function ImprintPage() {
  const { seller, supportEmail } = useSettings()
  const contacts = [sentence`Email: ${link(supportEmail, `mailto:${supportEmail}`)}`]
  if (seller.phone) {
    const digits = seller.phone.replaceAll(/[^+\d]/g, '')
    contacts.push(sentence`Telephone: ${link(seller.phone, `tel:${digits}`)}`)
  }
  const particularsByName = {
    'Represented by': seller.representative,
    'Responsible for the content': seller.responsible,
    'Commercial register': [seller.registerCourt, seller.register].filter(Boolean).join(', '),
    'Supervisory authority': seller.authority,
    'VAT number': seller.vatId,
    'Tax number': seller.taxNumber,
  }
  const filledIn = Object.entries(particularsByName).filter(([, value]) => value !== '')
  const particulars = filledIn.map(([name, value]) => `${name}: ${value}`)
  const particularsSections: LegalSection[] = []
  if (particulars.length > 0)
    particularsSections.push({ id: 'register', title: 'Particulars', blocks: [{ list: particulars }] })
  return (
    <LegalText
      title="Imprint"
      lead="Who runs this site, and how to reach us."
      changedOn="2026-11-16"
      sections={[
        { id: 'operator', title: 'Operator', content: <SellerAddress /> },
        { id: 'contact', title: 'Contact', blocks: [{ list: contacts }] },
        ...particularsSections,
        {
          id: 'no-advice',
          title: 'No investment advice',
          blocks: [
            'Everything on this site is general information about a software product. It is not investment advice or a recommendation to buy or sell any security. Trading involves risk, and you can lose all the capital you use. Past and backtested results do not predict future results.',
          ],
        },
        {
          id: 'content',
          title: 'Content and links',
          blocks: [
            'We write our pages with care and correct errors as soon as we learn of them. The sites we link to are the responsibility of those who run them. TradingView is a trademark of its owner; we are not affiliated with it.',
          ],
        },
      ]}
    />
  )
}
