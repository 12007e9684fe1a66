import { useSettings } from '#web/api/settings.tsx'
import { type LegalSection, LegalText, SupportEmail } from './legal-text.tsx'

export default function AccessibilityPage() {
  const { consumerLaw } = useSettings()
  return (
    <LegalText
      title="Accessibility"
      lead="How accessible this site is, how we know, what is missing, and whom to tell."
      changedOn="2026-11-16"
      sections={sectionsFor(consumerLaw)}
    />
  )
}

/** The tests that the text names are part of `npm test`. */
const sectionsFor = (consumerLaw: 'eu' | 'none'): LegalSection[] => [
  {
    id: 'standard',
    title: 'What we aim for',
    blocks: [
      'This site is a service under the European Accessibility Act. We build it to the Web Content Accessibility Guidelines (WCAG) 2.2, level AA, which the European standard EN 301 549 refers to.',
    ],
  },
  {
    id: 'tested',
    title: 'How it is tested',
    blocks: [
      'Before every release, automated tests check in a real browser that',
      {
        list: [
          'axe, a tool that looks for violations of the guidelines, finds none on any page or dialog, in the light and the dark theme;',
          `the product page, ${consumerLaw === 'eu' ? 'the card fields, and the forms to withdraw and to cancel' : 'and the card fields'} work with the keyboard alone, and show where you are;`,
          'every page works on a screen 320 pixels wide and at 200 % zoom, without scrolling sideways;',
          'a page change is announced to screen readers, and errors are named at their field;',
          'nothing moves for visitors who ask their system for less motion.',
        ],
      },
    ],
  },
  {
    id: 'gaps',
    title: 'What is missing',
    blocks: [
      {
        list: [
          'The card fields and invoices come from Stripe, the indicator from TradingView; we can’t change those.',
          'Charts come with a text that says what they show, but their individual points aren’t read out.',
          'No outside expert has audited this site yet.',
        ],
      },
    ],
  },
  { id: 'contact', title: 'Tell us', content: <Contact /> },
]

function Contact() {
  const { seller } = useSettings()
  return (
    <>
      <p>
        Something doesn’t work for you? Write to <SupportEmail />
        {seller.phone && ` or call ${seller.phone}`}. We’ll reply and fix what we can.
      </p>
      <p>
        If we don’t, you can turn to the authority that watches over accessible services in your country; in Germany,
        that is the{' '}
        <span lang="de">
          Marktüberwachungsstelle der Länder für die Barrierefreiheit von Produkten und Dienstleistungen (MLBF)
        </span>{' '}
        in Magdeburg.
      </p>
    </>
  )
}
