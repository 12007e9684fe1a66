import * as z from 'zod/mini'
import type { Endpoint } from '#contract/endpoint.ts'

const escape = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

/** The contract for people: one row for each call, its input and output on demand. */
export function docsPage(groups: Record<string, Record<string, Endpoint>>): string {
  const sections = Object.entries(groups).map(([room, group]) => {
    const rows = Object.values(group).map(
      (
        endpoint,
      ) => `<details><summary><code>${endpoint.method} ${endpoint.path}</code> <em>${endpoint.access}</em> ${escape(endpoint.summary)}</summary>
<h3>Input</h3><pre>${shape(endpoint, 'input')}</pre><h3>Answer${endpoint.answer ? ` (${endpoint.answer})` : ''}</h3><pre>${shape(endpoint, 'output')}</pre></details>`,
    )
    return `<section><h2>${room}</h2>${rows.join('\n')}</section>`
  })
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="robots" content="noindex"><title>API of the Rebound Sigma shop</title>
<style>:root{color-scheme:light dark}body{font:16px/1.6 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}summary{cursor:pointer;padding:.4rem 0}em{font-style:normal;font-size:.8rem;border:1px solid;border-radius:1rem;padding:0 .5rem}pre{overflow:auto;padding:1rem;border:1px solid color-mix(in srgb,currentColor 25%,transparent);border-radius:.5rem}h3{font-size:.9rem;margin:.5rem 0}</style></head>
<body><h1>API</h1><p>Every call between browser and server, from the same table that the server mounts. As <a href="/api/openapi.json">OpenAPI 3.1</a>. Calls that are not public need the session cookie; a refusal answers <code>{ message, fields? }</code>.</p>${sections.join('')}</body></html>`
}

function shape(endpoint: Endpoint, io: 'input' | 'output') {
  const { $schema: _, ...schema } = z.toJSONSchema(endpoint[io], { io, unrepresentable: 'any' })
  return escape(JSON.stringify(schema, null, 2))
}
