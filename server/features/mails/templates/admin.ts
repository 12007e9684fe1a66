import { dollars, type Template } from '../template.ts'

const contactMessage: Template<{ firstName: string; lastName: string; email: string; message: string }> = ({
  firstName,
  lastName,
  email,
  message,
}) => ({
  subject: `Message from ${firstName} ${lastName}`,
  preheader: message.slice(0, 120),
  heading: `Message from ${firstName} ${lastName}`,
  paragraphs: [],
  quote: message,
  details: [['From', email]],
  footnote: 'Sent with the contact form. Your answer goes to the sender.',
  replyTo: { name: `${firstName} ${lastName}`, address: email },
})

const tradingViewReminder: Template<{ name: string }> = ({ name }, { publicUrl }) => ({
  subject: 'Your TradingView username is missing',
  preheader: 'We need it to give you access to Rebound Sigma Pro.',
  heading: `${name || 'Hello'}, where shall we send your access?`,
  paragraphs: [
    'Your subscription to Rebound Sigma Pro is active, but we do not know your TradingView username yet. Access to the indicator is granted to a username, so please tell us yours.',
    'Open your dashboard, choose Profile, and enter it there. We grant access within 24 hours.',
  ],
  action: { label: 'Open the dashboard', url: `${publicUrl}/dashboard` },
})

const disputeOpened: Template<{ email: string; product: string; amount: number }> = (
  data,
  { publicUrl },
) => ({
  subject: `Disputed payment: ${data.email}`,
  preheader: 'Please answer it in your Stripe dashboard before its date.',
  heading: 'A payment is disputed',
  paragraphs: [
    `The bank of ${data.email} disputes a payment of ${dollars(data.amount)} for ${data.product}. Please answer in your Stripe dashboard before the date it names. Access goes on until the dispute is lost.`,
  ],
  action: { label: 'Open the purchases', url: `${publicUrl}/admin` },
})

export const adminMails = { contactMessage, tradingViewReminder, disputeOpened }
