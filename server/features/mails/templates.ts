import type { MailContent } from './layout.ts'

/** What a template may know of the shop. */
export type MailSite = {
  publicUrl: string
  supportEmail: string
  linkToken(purpose: string, rowId: string): string
}

/** Every mail of the shop, by kind. Data is small and free of secrets: it waits in the queue. */
export const templates = {
  welcome: ({ name }: { name: string }, site: MailSite): MailContent => ({
    subject: 'Welcome to Rebound Sigma',
    heading: `Welcome, ${name}`,
    paragraphs: [
      'Your account is ready. From the dashboard you manage your subscriptions, invoices and profile.',
    ],
    action: { label: 'Open the dashboard', url: `${site.publicUrl}/dashboard` },
  }),
}

export type MailKind = keyof typeof templates
export type MailData<Kind extends MailKind> = Parameters<(typeof templates)[Kind]>[0]
