import * as z from 'zod/mini'
import type { Endpoint } from '#contract/endpoint.ts'
import { escapeHtml } from '../security/escape-html.ts'
import { jsonSchema } from './openapi.ts'
import { plainPage } from './plain-page.ts'

const style = `section{scroll-margin-top:1rem}
section h2{text-transform:capitalize}
.calls{border:1px solid var(--line);border-radius:16px;background:var(--surface);overflow:hidden}
details+details{border-top:1px solid var(--line)}
summary{display:grid;grid-template-columns:4.5rem minmax(0,2fr) 4.5rem minmax(0,2fr);gap:.25rem 1rem;align-items:baseline;padding:.8rem 1.25rem;cursor:pointer;list-style:none}
summary::-webkit-details-marker{display:none}
summary:hover,details[open] summary{background:var(--soft)}
summary:focus-visible{outline-offset:-2px}
summary b{font:600 12px/1.6 ui-monospace,monospace;color:var(--accent)}
summary code{overflow-wrap:anywhere}
summary span{color:var(--muted)}
em{justify-self:start;padding:0 .55rem;border:1px solid var(--line);border-radius:99px;font-size:12px;font-style:normal;color:var(--muted)}
.shapes{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(22rem,100%),1fr));gap:1.25rem;padding:1.25rem}
h3{margin:0 0 .5rem;font-size:.8rem;font-weight:500;color:var(--muted)}
@media(max-width:45rem){summary{grid-template-columns:auto 1fr;justify-content:start}summary span{grid-column:1/-1}summary code{grid-column:1/-1}summary b{grid-row:1}summary em{grid-row:1}}`

/** The contract for people: one row per call, with its input and output on demand. */
export function docsPage(groups: Record<string, Record<string, Endpoint>>): string {
  const inWords = (room: string) => room.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  const sections = Object.entries(groups).map(
    ([room, group]) =>
      `<section id="${room}"><h2>${inWords(room)}</h2><div class="calls">${Object.values(group).map(row).join('\n')}</div></section>`,
  )
  const links = Object.keys(groups).map((room) => `<li><a href="#${room}">${inWords(room)}</a></li>`)
  return plainPage({
    title: 'Shop API',
    style,
    nav: `<h2>Calls</h2><ul>${links.join('')}</ul>`,
    main: `<h1>API</h1><p class="lead">Every call between browser and server, generated from the table that the server mounts. Also available as <a href="/api/openapi.json">OpenAPI 3.1</a>. Calls that are not public need the session cookie; a refusal returns <code>{ message, code, fields? }</code>: the message is for people, programs decide by the code.</p>${sections.join('')}`,
  })
}

const row = (endpoint: Endpoint) =>
  `<details><summary><b>${endpoint.method}</b> <code>${endpoint.path}</code> <em>${endpoint.access}</em> <span>${escapeHtml(endpoint.summary)}</span></summary>
<div class="shapes"><div><h3>Input</h3><pre tabindex="0">${shape(endpoint, 'input')}</pre></div><div><h3>Answer${endpoint.answer ? ` (${endpoint.answer})` : ''}</h3><pre tabindex="0">${shape(endpoint, 'output')}</pre></div></div></details>`

function shape(endpoint: Endpoint, io: 'input' | 'output') {
  return escapeHtml(JSON.stringify(jsonSchema(endpoint[io](z), io), null, 2))
}
