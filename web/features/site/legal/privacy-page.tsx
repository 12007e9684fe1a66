import { brand } from '#contract/brand.ts'
import { retention } from '#contract/retention.ts'
import { link, sentence } from '#contract/selling/legal/text.ts'
import { useSettings } from '#web/api/settings.tsx'
import { type LegalSection, LegalText, SellerAddress, SupportEmail } from './legal-text.tsx'

type Settings = ReturnType<typeof useSettings>

export default function PrivacyPage() {
  return (
    <LegalText
      title="Privacy Policy"
      lead="What personal data we process, why, for how long, who receives it, and what you can ask of us."
      changedOn="2026-11-19"
      sections={sectionsFor(useSettings())}
    />
  )
}

const sectionsFor = (settings: Settings): LegalSection[] => [
  {
    id: 'controller',
    title: 'Controller',
    content: (
      <>
        <p>Responsible for the processing of personal data on this site:</p>
        <SellerAddress />
        <p>
          For every question about your data, write to <SupportEmail />.
        </p>
      </>
    ),
  },
  {
    id: 'purposes',
    title: 'What we process, and why',
    content: (
      <dl>
        {purposesFor(settings).map(([what, why]) => (
          <div key={what}>
            <dt>{what}</dt>
            <dd>{why}</dd>
          </div>
        ))}
      </dl>
    ),
  },
  {
    id: 'recipients',
    title: 'Who receives data',
    blocks: [
      'We don’t sell data. These recipients get only what they need for their part:',
      { list: recipientsFor(settings) },
    ],
  },
  {
    id: 'abroad',
    title: 'Transfers abroad',
    blocks: [
      'Some of these companies also process data outside Switzerland and the European Economic Area, mainly in the United States. We rely on adequacy decisions such as the Data Privacy Framework, or on the standard contractual clauses of the European Commission.',
    ],
  },
  {
    id: 'retention',
    title: 'How long we keep it',
    blocks: [
      {
        list: Object.entries(retention)
          .filter(([kind]) => kind !== 'declarations' || settings.consumerLaw === 'eu')
          .map(([, { what, words }]) => `${what}: ${words}.`),
      },
    ],
  },
  { id: 'cookies', title: 'Cookies and local storage', content: <Cookies /> },
  {
    id: 'security',
    title: 'Security',
    blocks: [
      'Connections are encrypted. Passwords are stored only as hashes, and exchange keys only encrypted with a key kept separate from the database. We record every time an exchange key is viewed.',
    ],
  },
  {
    id: 'rights',
    title: 'Your rights',
    blocks: [
      'You may ask us at any time',
      {
        list: [
          'for access to the data we hold about you, and for a copy of it;',
          'to correct it, to delete it or to restrict its processing;',
          'to give it to you, or to someone else, in a common format;',
          'to stop processing based on our legitimate interest;',
          'to stop what you consented to, with effect for the future.',
        ],
      },
      sentence`An email to ${link(settings.supportEmail, `mailto:${settings.supportEmail}`)} is enough. You may also complain to a supervisory authority: in Switzerland the Federal Data Protection and Information Commissioner, in the European Union the authority of the country you live in.`,
    ],
  },
  {
    id: 'changes',
    title: 'Changes',
    blocks: ['We update this policy when what we do changes. The date of the last change is at the top of the page.'],
  },
]

const purposesFor = ({ askExchangeKeys, consumerLaw, regionLookupUrl }: Settings): [what: string, why: string][] => [
  [
    'Visiting the site',
    'Your IP address, the page requested, the time, and your browser type, to deliver the site and keep it safe. Basis: our legitimate interest.',
  ],
  [
    'Account',
    'Your name, email address, and a hash of your password, to let you log in and to keep your purchases together. Basis: our contract with you.',
  ],
  [
    'Purchase and billing',
    'What you bought, when, for how much, what you agreed to, the IP address that you ordered from, in case a bank asks us about the payment, and the payment references; for tax, your country and that of your card; for invoices, the company details you enter. Your card details go directly to Stripe; we never see them. Basis: our contract with you and our duty to keep accounts.',
  ],
  [
    'Access request',
    askExchangeKeys
      ? 'Your TradingView username, the name of your exchange, and the exchange keys you enter, to set up your access. The keys are encrypted as soon as they reach us. Basis: our contract with you.'
      : 'Your TradingView username, to set up your access. Basis: our contract with you.',
  ],
  [
    'Contact form',
    'Your name, email address, and message, so we can reply. Basis: our legitimate interest in replying, or steps toward a contract.',
  ],
  [
    'Reviews',
    'If you write one: your stars, your text, and the name you choose to show, to publish them. After 30 paid days, we invite you once by email. Basis: our legitimate interest in honest reviews.',
  ],
  [
    'Newsletter',
    'Your email address, once you’ve confirmed it, and the proof that you did: when, from which page, and a hash of your IP address, for both steps. Basis: your consent. If you bought from us and did not object, we may also write to the address you gave at the checkout, about our own similar products. Basis: our legitimate interest. Every issue has an unsubscribe link. We don’t measure who opens it or what they click.',
  ],
  ...(consumerLaw === 'eu' ? [declarationsPurpose] : []),
  ...(regionLookupUrl ? [regionPurpose] : []),
  [
    'Analytics',
    'How the pages are used, if we use analytics at all. Where consent is required, only after you give it.',
  ],
]

const declarationsPurpose: [string, string] = [
  'Withdrawal and cancellation',
  'Your name, the contract, your email address, and the time. Basis: our legal duty to receive it and to send you a receipt.',
]

const regionPurpose: [string, string] = [
  'Region',
  'The country you connect from, so we know whether we must ask you about cookies. Basis: our duty to ask.',
]

const recipientsFor = ({ regionLookupUrl, gaMeasurementId }: Settings): string[] => [
  'Stripe (payments): your email address, your card details, the amount, and what you enter about your country and company.',
  'TradingView: your TradingView username, when we unlock the indicator for you.',
  'Our hosting and email providers, on our behalf.',
  ...(regionLookupUrl
    ? [`${new URL(regionLookupUrl).hostname} (region lookup): the IP address of your connection.`]
    : []),
  ...(gaMeasurementId ? ['Google Analytics, if you consent: how the pages are used, without your name.'] : []),
  'Authorities, where the law requires it.',
]

function Cookies() {
  const { gaMeasurementId, cookieBanner } = useSettings()
  const hasCookieBanner = cookieBanner === 'always' || gaMeasurementId !== null
  const storedItems = [
    ['session', 'Keeps you logged in', '30 days'],
    ['device', 'Recognizes a browser you have logged in from, so that others cannot lock you out', '400 days'],
    ['half-login', 'Waits for the second step of a login', '5 minutes'],
    ['checkout', 'Ties a payment to the browser that made it', '1 day'],
    [brand.consentCookie, 'Remembers your choice about cookies', '365 days'],
    ['theme (local storage)', 'Remembers the light or dark theme', 'until you clear it'],
    ['user (local storage)', 'Tells all tabs which account is logged in', 'until you log out'],
    [
      'instructions (local storage)',
      'Folds the instructions on the dashboard once you have read them',
      'until you clear it',
    ],
    [
      'setup-guide-done (local storage)',
      'Remembers the steps of the setup guide that you ticked',
      'until you clear it',
    ],
    [
      'checkout-email, login-email, return-to, session-ended (session storage)',
      'What you typed, the page to return to after a login, and why you have to log in',
      'until you close the tab',
    ],
    ...(gaMeasurementId ? [['_ga', 'Analytics, only with consent', '2 years']] : []),
  ]
  return (
    <>
      <p>
        Cookies the site cannot work without need no consent. Analytics does: you can give and withdraw it under “Cookie
        settings” at the bottom of every page{hasCookieBanner ? '' : ', which appears once we use any'}.
      </p>
      <table className="stacked">
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">What for</th>
            <th scope="col">How long</th>
          </tr>
        </thead>
        <tbody>
          {storedItems.map(([name, purpose, duration]) => (
            <tr key={name}>
              <td className="font-mono break-words">{name}</td>
              <td>{purpose}</td>
              <td>{duration}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  )
}
