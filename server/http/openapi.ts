import * as z from 'zod/mini'
import { brand } from '#contract/brand.ts'
import type { Endpoint } from '#contract/endpoint.ts'
import { refusalCodes } from '#contract/refusals.ts'
import { waysToProve } from '#contract/statuses.ts'
import { escapeHtml } from '../security/escape-html.ts'
import { plainPage } from './plain-page.ts'

type Groups = Record<string, Record<string, Endpoint>>
type JsonSchema = { properties?: Record<string, unknown>; required?: string[] }

export function openApi(groups: Groups, publicUrl: string) {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const [tag, group] of Object.entries(groups)) {
    for (const [name, endpoint] of Object.entries(group)) {
      const path = endpoint.path.replaceAll(/:(\w+)/g, '{$1}')
      paths[path] ??= {}
      paths[path][endpoint.method.toLowerCase()] = operation(tag, name, endpoint)
    }
  }
  return {
    openapi: '3.1.0',
    info: { title: `${brand.name} shop`, version: '1', description: 'Every call between browser and server.' },
    servers: [{ url: publicUrl }],
    components: {
      securitySchemes: { session: { type: 'apiKey', in: 'cookie', name: 'session' } },
      schemas: { Refusal: refusalSchema },
    },
    paths,
  }
}

function operation(tag: string, name: string, endpoint: Endpoint) {
  const input = jsonSchema(endpoint.input, 'input') as JsonSchema
  const pathFields = [...endpoint.path.matchAll(/:(\w+)/g)].map((match) => match[1] ?? '')
  const otherFields = Object.entries(input.properties ?? {}).filter(([field]) => !pathFields.includes(field))
  const hasBody = endpoint.method === 'POST' || endpoint.method === 'PATCH'
  const parameter = (field: string, where: 'path' | 'query') => ({
    name: field,
    in: where,
    required: where === 'path' || (input.required ?? []).includes(field),
    schema: input.properties?.[field] ?? {},
  })
  const pathParameters = pathFields.map((field) => parameter(field, 'path'))
  const queryParameters = hasBody ? [] : otherFields.map(([field]) => parameter(field, 'query'))
  const bodySchema = {
    ...input,
    properties: Object.fromEntries(otherFields),
    required: input.required?.filter((field) => !pathFields.includes(field)),
  }
  const requestBody = { required: true, content: { 'application/json': { schema: bodySchema } } }
  const login = { security: [{ session: [] }], 'x-access': endpoint.access }
  // JSON leaves out undefined fields.
  return {
    operationId: `${tag}.${name}`,
    tags: [tag],
    summary: endpoint.summary,
    ...(endpoint.access === 'public' ? {} : login),
    'x-fresh': endpoint.fresh || undefined,
    'x-proven': endpoint.proven || undefined,
    parameters: [...pathParameters, ...queryParameters],
    requestBody: hasBody && otherFields.length > 0 ? requestBody : undefined,
    responses: {
      ...successResponses(endpoint),
      default: {
        description: 'A refusal',
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Refusal' } } },
      },
    },
  }
}

const refusalSchema = {
  type: 'object',
  properties: {
    message: { type: 'string' },
    code: { enum: refusalCodes },
    fields: { type: 'object', additionalProperties: { type: 'string' } },
    again: { type: 'array', items: { enum: waysToProve } },
    next: { type: 'array', items: { enum: waysToProve } },
    amount: { type: 'integer' },
    requestId: { type: 'string' },
  },
  required: ['message', 'code'],
}

function successResponses(endpoint: Endpoint) {
  if (endpoint.answer === 'redirect') return { 303: { description: 'A redirect' } }
  if (endpoint.answer === 'html')
    return { 200: { description: 'A page', content: { 'text/html': { schema: { type: 'string' } } } } }
  if (endpoint.answer === 'csv')
    return { 200: { description: 'A file', content: { 'text/csv': { schema: { type: 'string' } } } } }
  const nextPageHeader = { Link: { description: 'The next page, if there is one', schema: { type: 'string' } } }
  return {
    200: {
      description: 'Done',
      headers: endpoint.answer === 'list' ? nextPageHeader : undefined,
      content: { 'application/json': { schema: jsonSchema(endpoint.output, 'output') } },
    },
    202: endpoint.answer === 'later' ? { description: 'Not yet: ask again in a moment' } : undefined,
  }
}

function jsonSchema(schema: z.ZodMiniType, io: 'input' | 'output') {
  const description = z.toJSONSchema(schema, { io, unrepresentable: 'any' })
  // OpenAPI 3.1 fixes the dialect for the whole document.
  delete description.$schema
  return description
}

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

export function docsPage(groups: Groups): string {
  const inWords = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  const sections = Object.entries(groups).map(
    ([name, group]) =>
      `<section id="${name}"><h2>${inWords(name)}</h2><div class="calls">${Object.values(group).map(callHtml).join('\n')}</div></section>`,
  )
  const links = Object.keys(groups).map((name) => `<li><a href="#${name}">${inWords(name)}</a></li>`)
  return plainPage({
    title: 'Shop API',
    style,
    nav: `<h2>Calls</h2><ul>${links.join('')}</ul>`,
    main: `<h1>API</h1><p class="lead">Every call between browser and server, generated from the table that the server mounts. Also available as <a href="/api/openapi.json">OpenAPI 3.1</a>. Calls that are not public need the session cookie; a refusal returns <code>{ message, code, fields? }</code>: the message is for people, programs decide by the code.</p>${sections.join('')}`,
  })
}

const callHtml = (endpoint: Endpoint) =>
  `<details><summary><b>${endpoint.method}</b> <code>${endpoint.path}</code> <em>${endpoint.access}</em> <span>${escapeHtml(endpoint.summary)}</span></summary>
<div class="shapes"><div><h3>Input</h3><pre tabindex="0">${schemaHtml(endpoint, 'input')}</pre></div><div><h3>Answer${endpoint.answer ? ` (${endpoint.answer})` : ''}</h3><pre tabindex="0">${schemaHtml(endpoint, 'output')}</pre></div></div></details>`

function schemaHtml(endpoint: Endpoint, io: 'input' | 'output') {
  return escapeHtml(JSON.stringify(jsonSchema(endpoint[io], io), null, 2))
}
