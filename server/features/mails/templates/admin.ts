import type { Template } from '../template.ts'

const contactMessage: Template<{ firstName: string; lastName: string; email: string; message: string }> = ({
  firstName,
  lastName,
  email,
  message,
}) => ({
  subject: `Message from ${firstName} ${lastName}`,
  preheader: message.slice(0, 120),
  heading: `Message from ${firstName} ${lastName}`,
  paragraphs: [message],
  details: [['From', email]],
  footnote: 'Sent with the contact form. Your answer goes to the sender.',
  replyTo: { name: `${firstName} ${lastName}`, address: email },
})

export const adminMails = { contactMessage }
