import * as z from 'zod/mini'
import type { Endpoint } from '#contract/endpoint.ts'
import { refusalCodes } from '#contract/refusals.ts'
import { waysToProve } from '#contract/statuses.ts'

type Groups = Record<string, Record<string, Endpoint>>
type JsonSchema = { properties?: Record<string, unknown>; required?: string[] }

/** The contract as an OpenAPI 3.1 document. */
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
    info: {
      title: 'Rebound Sigma shop',
      version: '1',
      description: 'Every call between browser and server.',
    },
    servers: [{ url: publicUrl }],
    components: {
      securitySchemes: { session: { type: 'apiKey', in: 'cookie', name: 'session' } },
      schemas: { Refusal: refusal },
    },
    paths,
  }
}

function operation(tag: string, name: string, endpoint: Endpoint) {
  const input = jsonSchema(endpoint.input(z), 'input') as JsonSchema
  const inPath = [...endpoint.path.matchAll(/:(\w+)/g)].map((match) => match[1] ?? '')
  const inBody = endpoint.method === 'POST' || endpoint.method === 'PATCH'
  const rest = Object.entries(input.properties ?? {}).filter(([field]) => !inPath.includes(field))
  const parameter = (field: string, where: 'path' | 'query') => ({
    name: field,
    in: where,
    required: where === 'path' || (input.required ?? []).includes(field),
    schema: input.properties?.[field] ?? {},
  })
  return {
    operationId: `${tag}.${name}`,
    tags: [tag],
    summary: endpoint.summary,
    ...(endpoint.access === 'public' ? {} : { security: [{ session: [] }], 'x-access': endpoint.access }),
    ...(endpoint.fresh ? { 'x-fresh': endpoint.fresh } : {}),
    ...(endpoint.proven ? { 'x-proven': true } : {}),
    parameters: [
      ...inPath.map((field) => parameter(field, 'path')),
      ...(inBody ? [] : rest.map(([field]) => parameter(field, 'query'))),
    ],
    ...(inBody && rest.length > 0
      ? {
          requestBody: {
            required: true,
            content: {
              'application/json': {
                schema: {
                  ...input,
                  properties: Object.fromEntries(rest),
                  required: input.required?.filter((field) => !inPath.includes(field)),
                },
              },
            },
          },
        }
      : {}),
    responses: {
      ...success(endpoint),
      default: {
        description: 'A refusal',
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Refusal' } } },
      },
    },
  }
}

const refusal = {
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

function success(endpoint: Endpoint) {
  if (endpoint.answer === 'redirect') return { 303: { description: 'A redirect' } }
  if (endpoint.answer === 'html')
    return { 200: { description: 'A page', content: { 'text/html': { schema: { type: 'string' } } } } }
  if (endpoint.answer === 'csv')
    return { 200: { description: 'A file', content: { 'text/csv': { schema: { type: 'string' } } } } }
  const headers =
    endpoint.answer === 'list'
      ? { Link: { description: 'The next page, if there is one', schema: { type: 'string' } } }
      : undefined
  return {
    ...(endpoint.answer === 'later' ? { 202: { description: 'Not yet: ask again in a moment' } } : {}),
    200: {
      description: 'Done',
      ...(headers ? { headers } : {}),
      content: { 'application/json': { schema: jsonSchema(endpoint.output(z), 'output') } },
    },
  }
}

export function jsonSchema(schema: z.ZodMiniType, io: 'input' | 'output') {
  const described = z.toJSONSchema(schema, { io, unrepresentable: 'any' })
  // The document itself says which dialect it is.
  delete described.$schema
  return described
}
