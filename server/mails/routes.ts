import type { FastifyInstance, FastifyRequest } from 'fastify'
import { notFound } from '../errors.ts'
import { readOutbox, type SentMail } from '../gateways/outbox.ts'
import { plainPage } from '../http/plain-page.ts'
import { isFromThisMachine } from '../http/this-machine.ts'
import { escapeHtml } from '../security/escape-html.ts'
import { inScheme, renderHtml, renderText } from './layout.ts'
import { samples } from './samples.ts'
import type { MailSite, Template } from './template.ts'
import { templates } from './templates.ts'

const maxShownMails = 200

type PreviewedMail = Pick<SentMail, 'subject' | 'html' | 'text'>
type Query = { mail?: string; scheme?: 'light' | 'dark' }

export function mountMailPreview(app: FastifyInstance, { site, outbox }: { site: MailSite; outbox: string }) {
  const samplesByName = sampleMails(site)
  /** The outbox holds everyone's password links. */
  const refuseStrangers = ({ raw }: FastifyRequest) => {
    if (!isFromThisMachine(raw)) throw notFound('Page')
  }

  app.get<{ Querystring: Query }>('/dev/mails', async (request, reply) => {
    refuseStrangers(request)
    const sent = await sentMails(outbox)
    const [newest = 'welcome'] = sent.keys()
    const requestedName = request.query.mail ?? ''
    const exists = sent.has(requestedName) || samplesByName.has(requestedName)
    const name = exists ? requestedName : newest
    const current = sent.get(name) ?? samplesByName.get(name)?.()
    return reply
      .type('text/html; charset=utf-8')
      .header(
        'content-security-policy',
        "default-src 'none'; style-src 'unsafe-inline'; frame-src 'self'; frame-ancestors 'none'",
      )
      .send(page({ sent, sampleNames: [...samplesByName.keys()], name, current }))
  })

  app.get<{ Querystring: Query }>('/dev/mails/raw', async (request, reply) => {
    refuseStrangers(request)
    const name = request.query.mail ?? ''
    const mail = samplesByName.get(name)?.() ?? (await sentMails(outbox)).get(name)
    if (!mail) throw notFound('Email')
    return reply
      .type('text/html; charset=utf-8')
      .header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'")
      .send(inScheme(mail.html, request.query.scheme))
  })
}

function sampleMails(site: MailSite) {
  const byName = new Map<string, () => PreviewedMail>()
  for (const [kind, examples] of Object.entries(samples)) {
    const render = templates[kind as keyof typeof templates] as Template<unknown>
    for (const [index, data] of examples.entries())
      byName.set(index === 0 ? kind : `${kind} ${index + 1}`, () => {
        const ownProduct = site.productsOnSale[0]?.name
        const namesProduct = 'product' in data && ownProduct
        const content = render(namesProduct ? { ...data, product: ownProduct } : data, site)
        return { subject: content.subject, html: renderHtml(content, site), text: renderText(content, site) }
      })
  }
  return byName
}

async function sentMails(outbox: string) {
  const mails = (await readOutbox(outbox)).toReversed().slice(0, maxShownMails)
  return new Map(mails.map((mail) => [mail.messageId, mail]))
}

type PreviewPage = {
  sent: Map<string, SentMail>
  sampleNames: string[]
  name: string
  current: PreviewedMail | undefined
}

function page({ sent, sampleNames, name, current }: PreviewPage) {
  const link = (mailName: string, text: string, note = '') =>
    `<li><a href="?mail=${encodeURIComponent(mailName)}"${mailName === name ? ' aria-current="page"' : ''}>${escapeHtml(text)}</a>${note}</li>`
  const sentLinks = Array.from(sent, ([id, { subject, to }]) =>
    link(id, subject, `<small>${escapeHtml(to)}</small>`),
  ).join('')
  const sampleLinks = sampleNames.map((sample) => link(sample, sample)).join('')
  const { subject = '', text = '' } = current ?? {}
  const frame = (scheme: string) =>
    `<iframe title="${scheme}" src="/dev/mails/raw?mail=${encodeURIComponent(name)}&amp;scheme=${scheme}"></iframe>`
  return plainPage({
    title: 'The shop’s emails',
    style,
    nav: `<h2>Sent, newest first</h2><ul>${sentLinks || '<li class="none">Nothing yet</li>'}</ul><h2>Every email, with sample data</h2><ul>${sampleLinks}</ul>`,
    main: `<h1>${escapeHtml(subject)}</h1><div class="frames">${frame('light')}${frame('dark')}</div><h2>Text part</h2><pre tabindex="0">${escapeHtml(text)}</pre>`,
  })
}

const style = `small{display:block;padding:0 .75rem;color:var(--muted)}.none{padding:0 .75rem;color:var(--muted)}
.frames{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(24rem,100%),1fr));gap:1.25rem}
iframe{width:100%;height:52rem;border:1px solid var(--line);border-radius:16px}
pre{white-space:pre-wrap;overflow-wrap:anywhere;background:var(--surface)}`
