import { randomText } from '../basics.ts'
import { account } from '../objects/blank.ts'
import { newPaymentMethodDomain, newWebhookEndpoint } from '../objects/kinds.ts'
import { flag, required, text, texts, withChanges } from './params.ts'
import { listRoute, readRoute, route } from './route.ts'

/** The sandbox sends events only to the shop that opened it. */
export const accountRoutes = [
  route('GET /v1/account', {}, async ({ work }) => ({ ...account, id: work.quirks.account })),

  route(
    'POST /v1/webhook_endpoints',
    { api_version: text, enabled_events: required(texts), url: required(text) },
    async ({ work, params: { url, enabled_events: events, ...params } }) => ({
      ...(await work.insert(withChanges(newWebhookEndpoint(work.now, url, events), params))),
      secret: `whsec_${randomText(32)}`,
    }),
  ),
  listRoute('webhook_endpoint', {}),
  readRoute('webhook_endpoint'),
  route(
    'POST /v1/webhook_endpoints/:id',
    { disabled: flag, enabled_events: texts },
    async ({ work, id, params: { disabled, enabled_events } }) => {
      const endpoint = await work.getForUpdate('webhook_endpoint', id)
      const newStatus = disabled ? 'disabled' : 'enabled'
      const status = disabled === undefined ? endpoint.status : newStatus
      return work.save(withChanges(endpoint, { enabled_events, status }))
    },
  ),
  route('DELETE /v1/webhook_endpoints/:id', {}, async ({ work, id }) => {
    await work.getForUpdate('webhook_endpoint', id)
    await work.database.query('delete from sandbox.objects where id = $1', [id])
    return { id, object: 'webhook_endpoint', deleted: true }
  }),

  route('POST /v1/payment_method_domains', { domain_name: required(text) }, async ({ work, params }) => {
    const [existing] = await work.all('payment_method_domain', { domain_name: params.domain_name })
    return existing ?? work.insert(newPaymentMethodDomain(work.now, params.domain_name))
  }),
  listRoute('payment_method_domain', { domain_name: text }),
  route('POST /v1/payment_method_domains/:id', { enabled: flag }, async ({ work, id, params }) =>
    work.save(withChanges(await work.getForUpdate('payment_method_domain', id), params)),
  ),
  route('POST /v1/payment_method_domains/:id/validate', {}, ({ work, id }) => work.get('payment_method_domain', id)),
]
