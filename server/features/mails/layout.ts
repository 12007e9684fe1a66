import { brand } from '#contract/brand.ts'
import type { MailContent } from './template.ts'

const escape = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

export function renderText({ heading, paragraphs, details = [], action, footnote }: MailContent): string {
  return [
    heading,
    ...paragraphs,
    ...(details.length > 0 ? [details.map(([label, value]) => `${label}: ${value}`).join('\n')] : []),
    ...(action ? [`${action.label}:\n${action.url}`] : []),
    ...(footnote ? [footnote] : []),
    `-- \n${brand.name}`,
  ].join('\n\n')
}

export function renderHtml({
  subject,
  heading,
  paragraphs,
  details = [],
  action,
  footnote,
}: MailContent): string {
  const lines = [...paragraphs, ...details.map(([label, value]) => `${label}: ${value}`)]
    .map((text) => `<p style="margin:0 0 16px">${escape(text).replaceAll('\n', '<br>')}</p>`)
    .join('')
  const button = action
    ? `<p style="margin:24px 0"><a href="${escape(action.url)}" style="background:#0f766e;color:#ffffff;text-decoration:none;padding:12px 20px;border-radius:8px;display:inline-block;font-weight:600">${escape(action.label)}</a></p>`
    : ''
  const small = footnote
    ? `<p style="margin:24px 0 0;font-size:13px;opacity:.75">${escape(footnote)}</p>`
    : ''
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>${escape(subject)}</title></head><body style="margin:0;padding:24px;font:16px/1.6 system-ui,sans-serif"><div style="max-width:560px;margin:0 auto"><p style="font-weight:700">${escape(brand.name)}</p><h1 style="font-size:22px;line-height:1.3">${escape(heading)}</h1>${lines}${button}${small}</div></body></html>`
}
