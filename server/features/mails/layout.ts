import { brand } from '#contract/brand.ts'

/** What a mail says; its look is decided here, once for all of them. */
export type MailContent = {
  subject: string
  heading: string
  paragraphs: string[]
  action?: { label: string; url: string }
  /** Small print below the action. */
  footnote?: string
  replyTo?: string
  headers?: Record<string, string>
}

const escape = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

export function renderText({ heading, paragraphs, action, footnote }: MailContent): string {
  return [
    heading,
    ...paragraphs,
    ...(action ? [`${action.label}:\n${action.url}`] : []),
    ...(footnote ? [footnote] : []),
    `-- \n${brand.name}`,
  ].join('\n\n')
}

export function renderHtml({ subject, heading, paragraphs, action, footnote }: MailContent): string {
  const lines = paragraphs
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
