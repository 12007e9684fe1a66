import { useSettings } from '#web/api/settings.tsx'
import { LegalText, SellerAddress, SupportEmail } from './legal-text.tsx'

export default function ImprintPage() {
  const { seller } = useSettings()
  const particulars = [
    { name: 'Represented by', value: seller.representative },
    { name: 'Responsible for the content', value: seller.responsible },
    {
      name: 'Commercial register',
      value: [seller.registerCourt, seller.register].filter(Boolean).join(', '),
    },
    { name: 'Supervisory authority', value: seller.authority },
    { name: 'VAT number', value: seller.vatId },
    { name: 'Tax number', value: seller.taxNumber },
  ].filter(({ value }) => value)
  return (
    <LegalText
      title="Imprint"
      lead="Who runs this site, and how to reach us."
      changed="2026-11-16"
      sections={[
        { id: 'operator', title: 'Operator', content: <SellerAddress /> },
        {
          id: 'contact',
          title: 'Contact',
          content: (
            <ul>
              <li>
                Email: <SupportEmail />
              </li>
              {seller.phone && (
                <li>
                  Telephone: <a href={`tel:${seller.phone.replaceAll(/[^+\d]/g, '')}`}>{seller.phone}</a>
                </li>
              )}
            </ul>
          ),
        },
        ...(particulars.length > 0
          ? [
              {
                id: 'register',
                title: 'Particulars',
                content: (
                  <ul>
                    {particulars.map(({ name, value }) => (
                      <li key={name}>
                        {name}: {value}
                      </li>
                    ))}
                  </ul>
                ),
              },
            ]
          : []),
        {
          id: 'no-advice',
          title: 'No investment advice',
          content: (
            <p>
              Everything on this site is general information about a software product. It is not investment
              advice or a recommendation to buy or sell any security. Trading involves risk, and you can lose
              all the capital you use. Past and backtested results do not predict future results.
            </p>
          ),
        },
        {
          id: 'content',
          title: 'Content and links',
          content: (
            <p>
              We write our pages with care and correct errors as soon as we learn of them. The sites we link
              to are the responsibility of those who run them. TradingView is a trademark of its owner; we are
              not affiliated with it.
            </p>
          ),
        },
      ]}
    />
  )
}
