import type { FastifyInstance } from 'fastify'
import { readOutbox, type SentMail } from '../../gateways/outbox.ts'
import { escape, renderHtml, renderText } from './layout.ts'
import { samples } from './samples.ts'
import type { MailSite, Template } from './template.ts'
import { templates } from './templates.ts'

type Shown = Pick<SentMail, 'subject' | 'html' | 'text'>
type Query = { mail?: string; scheme?: 'light' | 'dark' }

/** `/dev/mails`, outside production: every mail with sample data, and those that went into the outbox. */
export function mountMailPreview(app: FastifyInstance, { site, outbox }: { site: MailSite; outbox: string }) {
  const byName = () => new Map([...sampleMails(site), ...sentMails(outbox)])

  app.get<{ Querystring: Query }>('/dev/mails', (request, reply) => {
    const mails = byName()
    const name = request.query.mail && mails.has(request.query.mail) ? request.query.mail : 'welcome'
    return reply
      .type('text/html; charset=utf-8')
      .header(
        'content-security-policy',
        "default-src 'none'; style-src 'unsafe-inline'; frame-src 'self'; frame-ancestors 'none'",
      )
      .send(page(mails, name))
  })

  app.get<{ Querystring: Query }>('/dev/mails/raw', (request, reply) => {
    const mail = byName().get(request.query.mail ?? '')
    if (!mail) return reply.status(404).send({ message: 'Mail not found' })
    return reply
      .type('text/html; charset=utf-8')
      .header(
        'content-security-policy',
        "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'",
      )
      .send(inScheme(mail.html, request.query.scheme))
  })
}

function* sampleMails(site: MailSite): Generator<[string, Shown]> {
  for (const [kind, examples] of Object.entries(samples)) {
    const render = templates[kind as keyof typeof templates] as Template<unknown>
    for (const [index, data] of examples.entries()) {
      const content = render(data, site)
      yield [
        index === 0 ? kind : `${kind} ${index + 1}`,
        { subject: content.subject, html: renderHtml(content, site), text: renderText(content, site) },
      ]
    }
  }
}

/** Newest first; the shop of a newcomer has few. */
function* sentMails(outbox: string): Generator<[string, Shown & { to: string }]> {
  for (const mail of readOutbox(outbox).toReversed().slice(0, 200)) yield [mail.messageId, mail]
}

/** As a reader sees it who likes it light, or dark, whatever this browser likes. */
const inScheme = (html: string, scheme: Query['scheme']) =>
  scheme
    ? html
        .replace('(prefers-color-scheme:dark)', scheme === 'dark' ? 'all' : 'not all')
        .replace('color-scheme:light dark', `color-scheme:${scheme}`)
    : html

function page(mails: Map<string, Shown & { to?: string }>, current: string) {
  const links = (sent: boolean) =>
    [...mails]
      .filter(([, { to }]) => (to !== undefined) === sent)
      .map(([name, { subject, to }]) => {
        const here = name === current ? ' aria-current="page"' : ''
        return `<li><a href="?mail=${encodeURIComponent(name)}"${here}>${escape(to ? subject : name)}</a>${to ? `<small>${escape(to)}</small>` : ''}</li>`
      })
      .join('')
  const { subject = '', text = '' } = mails.get(current) ?? {}
  const frame = (scheme: string) =>
    `<iframe title="${scheme}" src="/dev/mails/raw?mail=${encodeURIComponent(current)}&amp;scheme=${scheme}"></iframe>`
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="robots" content="noindex"><title>Mails of the shop</title>
<style>:root{color-scheme:light dark}body{margin:0;font:15px/1.5 system-ui,sans-serif;display:grid;grid-template-columns:17rem 1fr;min-height:100vh}nav{padding:1rem;border-right:1px solid color-mix(in srgb,currentColor 20%,transparent)}main{padding:1.5rem;min-width:0}h1,h2{font-size:1rem;margin:.5rem 0}ul{list-style:none;margin:0 0 1.5rem;padding:0}li{margin:.15rem 0}small{display:block;opacity:.75}a{color:inherit}a[aria-current]{font-weight:700}.frames{display:grid;grid-template-columns:1fr 1fr;gap:1rem}iframe{width:100%;height:52rem;border:1px solid color-mix(in srgb,currentColor 20%,transparent);border-radius:.75rem}pre{white-space:pre-wrap;overflow-wrap:anywhere;padding:1rem;border:1px solid color-mix(in srgb,currentColor 20%,transparent);border-radius:.75rem}@media(max-width:60rem){body,.frames{display:block}}</style></head>
<body><nav><h2>Every mail</h2><ul>${links(false)}</ul><h2>Sent, newest first</h2><ul>${links(true) || '<li>Nothing yet</li>'}</ul></nav>
<main><h1>${escape(subject)}</h1><div class="frames">${frame('light')}${frame('dark')}</div><h2>Text part</h2><pre tabindex="0">${escape(text)}</pre></main></body></html>`
}
