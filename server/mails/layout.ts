import { brand } from '#contract/brand.ts'
import { brandShades } from '#contract/brand-colors.ts'
import type { Block, Heading, Inline, Picture } from '#contract/markdown.ts'
import { isList, type LegalBlock, type LegalText, piecesOf, type Words } from '#contract/selling/legal/text.ts'
import { escapeHtml } from '../security/escape-html.ts'
import { inertLine } from './inert.ts'
import { type Action, type Detail, isGreeting, type MailContent, type MailSite } from './template.ts'

/** Light colors are inline, because many clients drop `<style>`, which holds only the dark ones. */
const colors = {
  ground: { light: { background: '#f7fbf9' }, dark: { background: '#060f0f' } },
  card: {
    light: { background: '#ffffff', 'border-color': '#dae1df' },
    dark: { background: '#0b1716', 'border-color': '#22302f' },
  },
  ink: { light: { color: '#0b1c1a' }, dark: { color: '#eef4f2' } },
  muted: { light: { color: '#4c5c5a' }, dark: { color: '#a4b2b1' } },
  link: { light: { color: brandShades.light }, dark: { color: brandShades.dark } },
  accent: {
    light: { background: brandShades.light, 'border-color': brandShades.light, color: '#ffffff' },
    dark: { background: brandShades.dark, 'border-color': brandShades.dark, color: brandShades.onDark },
  },
  line: { light: { 'border-color': '#dae1df' }, dark: { 'border-color': '#22302f' } },
  quote: {
    light: { 'border-color': brandShades.light, color: '#0b1c1a' },
    dark: { 'border-color': brandShades.dark, color: '#eef4f2' },
  },
}
type MailColor = keyof typeof colors

const declarations = (style: Record<string, string>, suffix = '') =>
  Object.entries(style)
    .map(([property, value]) => `${property}:${value}${suffix}`)
    .join(';')

const darkRules = Object.entries(colors)
  .map(([color, { dark }]) => `.${color}{${declarations(dark, ' !important')}}`)
  .join('')

const styled = (color: MailColor, style: string) =>
  `class="${color}" style="${style};${declarations(colors[color].light)}"`

const escapeLines = (text: string) => escapeHtml(text).replaceAll(/\r?\n/g, '<br>')

export function renderHtml(content: MailContent, { publicUrl, supportEmail, sender }: MailSite): string {
  const { subject, paragraphs, blocks = [], quote, details, action, actionNote, footnote } = content
  const body = [
    `<h1 ${styled('ink', 'margin:0 0 20px;font-size:24px;line-height:1.25;font-weight:650;letter-spacing:-.02em')}>${escapeHtml(subject)}</h1>`,
    ...paragraphs.map((text) => text && `<p ${styled('ink', 'margin:0 0 16px')}>${escapeLines(text)}</p>`),
    ...blocks.map((block) => blockHtml(block, publicUrl)),
    quote &&
      `<blockquote ${styled('quote', 'margin:20px 0;padding:2px 0 2px 16px;border-left:3px solid')}>${escapeLines(quote)}</blockquote>`,
    details && detailsTable(details.filter((detail) => !!detail)),
    action && buttonHtml(action, publicUrl),
    actionNote && `<p ${styled('muted', 'margin:0;font-size:14px;line-height:1.55')}>${escapeLines(actionNote)}</p>`,
    footnote &&
      `<p ${styled('muted', 'margin:24px 0 0;font-size:14px;line-height:1.55')}>${inlineHtml(inlineOf(footnote), publicUrl)}</p>`,
  ]
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${escapeHtml(subject)}</title>
<style>:root{color-scheme:light dark}@media (prefers-color-scheme:dark){${darkRules}}@media (max-width:480px){.card{padding:28px 22px !important}}</style>
</head>
<body ${styled('ground', "margin:0;padding:0;font:16px/1.6 -apple-system,BlinkMacSystemFont,'Segoe UI',Roboto,Helvetica,Arial,sans-serif;-webkit-text-size-adjust:100%")}>
<div style="display:none;max-height:0;overflow:hidden;mso-hide:all">${escapeHtml(preheaderOf(content))}${invisiblePadding}</div>
<div ${styled('ground', 'padding:32px 12px 40px')}>
<div lang="en" style="max-width:560px;margin:0 auto;overflow-wrap:anywhere;word-break:break-word">
<p style="margin:0 0 20px;padding:0 4px"><a href="${escapeHtml(publicUrl)}" ${styled('ink', 'text-decoration:none;font-weight:650;font-size:17px;letter-spacing:-.01em')}><span aria-hidden="true" ${styled('accent', 'display:inline-block;width:28px;height:28px;margin-right:10px;border-radius:8px;font-size:19px;line-height:26px;text-align:center;font-weight:600')}>${escapeHtml(brand.letter)}</span>${escapeHtml(brand.name)}</a></p>
<div ${styled('card', 'padding:40px;border:1px solid;border-radius:16px')}>
${body.filter(Boolean).join('\n')}
</div>
${documentsHtml(content.documents || [], publicUrl)}<p ${styled('muted', 'margin:24px 0 0;padding:0 4px;font-size:13px;line-height:1.6')}>${escapeHtml(brand.name)} · <a href="${escapeHtml(publicUrl)}" ${styled('link', 'text-decoration:underline')}>${escapeHtml(new URL(publicUrl).host)}</a> · <a href="mailto:${escapeHtml(supportEmail)}" ${styled('link', 'text-decoration:underline')}>${escapeHtml(supportEmail)}</a>${sender ? `<br>${escapeHtml(sender)}` : ''}</p>
</div>
</div>
</body>
</html>
`
}

/** Fills the preview line in a list of emails, so that no text of the body follows the preheader. */
const invisiblePadding = '&#847;&zwnj;&nbsp;'.repeat(60)

const preheaderOf = ({ preheader, paragraphs, quote }: MailContent) =>
  preheader || paragraphs.find((text) => text && !isGreeting(text)) || inertLine(quote || '')

/** Borders instead of padding, because Outlook draws them. */
const buttonHtml = ([label, address]: Action, publicUrl: string) =>
  `<p style="margin:28px 0 8px"><a href="${escapeHtml(absolute(address, publicUrl))}" ${styled('accent', 'display:inline-block;border-style:solid;border-width:13px 24px;border-radius:10px;font-weight:600;line-height:1.3;text-decoration:none')}>${escapeHtml(label)}</a></p>`

function detailsTable(details: Detail[]) {
  const rows = details.map(
    ([label, value]) =>
      `<tr><th scope="row" ${styled('muted', 'width:42%;padding:10px 16px 10px 0;text-align:left;vertical-align:top;font-weight:400;font-size:14px;overflow-wrap:break-word;word-break:normal')}>${escapeHtml(label)}</th><td ${styled('ink', 'padding:10px 0;text-align:right;vertical-align:top;font-weight:600;font-size:15px')}>${escapeHtml(value)}</td></tr>`,
  )
  return `<div ${styled('line', 'margin:24px 0;border-style:solid;border-width:1px 0;padding:6px 0')}><table style="width:100%;table-layout:fixed;border-collapse:collapse">${rows.join('')}</table></div>`
}

const absolute = (href: string, publicUrl: string) => (href.startsWith('/') ? publicUrl + href : href)

const linkHtml = (text: string, href: string, publicUrl: string) =>
  `<a href="${escapeHtml(absolute(href, publicUrl))}" ${styled('link', 'text-decoration:underline')}>${escapeHtml(text)}</a>`

const isLink = (href = '') => /^(https?:\/\/|mailto:|\/(?!\/))/i.test(href)

function inlineHtml(inline: Inline[], publicUrl: string) {
  return inline
    .map(({ text, as: mark, href = '' }) => {
      if (mark === 'bold') return `<strong>${escapeHtml(text)}</strong>`
      if (mark === 'code') return `<code>${escapeHtml(text)}</code>`
      return mark && isLink(href) ? linkHtml(text, href, publicUrl) : escapeLines(text)
    })
    .join('')
}

/** Writes a link's address after its text, unless the text is the address. */
function inlineText(inline: Inline[], publicUrl: string) {
  return inline
    .map(({ text, href = '' }) => {
      const address = absolute(href, publicUrl)
      return isLink(href) && !address.endsWith(text) ? `${text} (${address})` : text
    })
    .join('')
}

const inlineOf = (words: Words): Inline[] =>
  piecesOf(words).map(({ text, href }) => (href ? { text, href, as: 'link' } : { text }))

const blockOf = (legalBlock: LegalBlock): Block =>
  isList(legalBlock)
    ? { kind: 'list', isOrdered: false, items: legalBlock.list.map(inlineOf) }
    : { kind: 'paragraph', inline: inlineOf(legalBlock) }

/** `extraStyle` is CSS that begins with a semicolon. */
function blockHtml(block: Block | Heading | Picture, publicUrl: string, extraStyle = '') {
  if (block.kind === 'picture')
    return `<p style="margin:0 0 16px"><img src="${escapeHtml(block.url)}" alt="${escapeHtml(block.alt)}" style="max-width:100%;height:auto;border-radius:8px"></p>`
  if (block.kind === 'heading')
    return `<h2 ${styled('ink', 'margin:28px 0 12px;font-size:18px;line-height:1.3;font-weight:650')}>${escapeHtml(block.text)}</h2>`
  if (block.kind === 'paragraph')
    return `<p ${styled('ink', `margin:0 0 16px${extraStyle}`)}>${inlineHtml(block.inline, publicUrl)}</p>`
  const list = block.isOrdered ? 'ol' : 'ul'
  const items = block.items.map((item) => `<li style="margin:0 0 6px">${inlineHtml(item, publicUrl)}</li>`)
  return `<${list} ${styled('ink', `margin:0 0 16px;padding:0 0 0 22px${extraStyle}`)}>${items.join('')}</${list}>`
}

function blockText(block: Block | Heading | Picture, publicUrl: string) {
  if (block.kind === 'picture') return `${block.alt ? `${block.alt}: ` : ''}${block.url}`
  if (block.kind === 'heading') return block.text.toUpperCase()
  if (block.kind === 'paragraph') return inlineText(block.inline, publicUrl)
  return block.items
    .map((item, index) => `${block.isOrdered ? `${index + 1}.` : '-'} ${inlineText(item, publicUrl)}`)
    .join('\n')
}

export function inScheme(html: string, scheme: 'light' | 'dark' | undefined) {
  if (!scheme) return html
  return html
    .replace('(prefers-color-scheme:dark)', scheme === 'dark' ? 'all' : 'not all')
    .replace('color-scheme:light dark', `color-scheme:${scheme}`)
}

function documentsHtml(documents: LegalText[], publicUrl: string) {
  if (documents.length === 0) return ''
  const html = (legalBlock: LegalBlock) => blockHtml(blockOf(legalBlock), publicUrl, ';font-size:14px;line-height:1.55')
  const parts = documents.map(
    ({ title, blocks }) =>
      `<h2 ${styled('ink', 'margin:24px 0 8px;font-size:17px;line-height:1.3')}>${escapeHtml(title)}</h2>\n${blocks.map(html).join('\n')}`,
  )
  return `<div ${styled('card', 'margin:16px 0 0;padding:16px 40px 28px;border:1px solid;border-radius:16px')}>\n${parts.join('\n')}\n</div>\n`
}

export const documentText = ({ title, blocks }: LegalText, publicUrl: string) =>
  [title.toUpperCase(), ...blocks.map((legalBlock) => blockText(blockOf(legalBlock), publicUrl))].join('\n\n')

export function renderText(content: MailContent, { publicUrl, supportEmail, sender }: MailSite): string {
  const { subject, paragraphs, blocks = [], quote, details, action, actionNote, footnote } = content
  return [
    subject,
    ...paragraphs,
    ...blocks.map((block) => blockText(block, publicUrl)),
    quote && quote.replaceAll(/^/gm, '> '),
    details?.flatMap((detail) => (detail ? detail.join(': ') : [])).join('\n'),
    action && `${action[0]}:\n${absolute(action[1], publicUrl)}`,
    actionNote,
    footnote && inlineText(inlineOf(footnote), publicUrl),
    ...(content.documents || []).map((document) => documentText(document, publicUrl)),
    ['-- ', brand.name, publicUrl, supportEmail, sender].filter(Boolean).join('\n'),
  ]
    .filter(Boolean)
    .join('\n\n')
}
