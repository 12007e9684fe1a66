import { invalid } from '../failure.ts'
import { account } from '../objects/blank.ts'
import { newPaymentMethodDomain, newWebhookEndpoint } from '../objects/kinds.ts'
import { clearable, flag, keep, list, mergeMetadata, metadata, paging, required, text } from './params.ts'
import { route } from './route.ts'

const events = list(required(text))
const endpointFields = { description: clearable(text), metadata }

function assertUrl(url: string) {
  if (/^https?:\/\//.test(url) && URL.canParse(url)) return
  throw invalid('Invalid URL: An explicit scheme (such as https) must be provided.', 'url', 'url_invalid')
}

/** What a seller sets up once: where events go, and where wallets may be shown. */
export const accountRoutes = [
  route('GET /v1/account', {}, async () => account),

  route(
    'POST /v1/webhook_endpoints',
    { ...endpointFields, api_version: text, enabled_events: required(events), url: required(text) },
    async ({ work, params }) => {
      assertUrl(params.url)
      const endpoint = await work.insert({
        ...newWebhookEndpoint(work.now, params.url, params.enabled_events),
        api_version: params.api_version ?? null,
        description: params.description ?? null,
        metadata: params.metadata ?? {},
      })
      return { ...endpoint, secret: endpoint.$sandbox.secret }
    },
  ),
  route('GET /v1/webhook_endpoints', paging, ({ work, params }) =>
    work.list('webhook_endpoint', '/v1/webhook_endpoints', {}, params),
  ),
  route('GET /v1/webhook_endpoints/:id', {}, ({ work, id }) => work.get('webhook_endpoint', id)),
  route(
    'POST /v1/webhook_endpoints/:id',
    { ...endpointFields, disabled: flag, enabled_events: events, url: text },
    async ({ work, id, params }) => {
      const before = await work.claim('webhook_endpoint', id)
      if (params.url !== undefined) assertUrl(params.url)
      const status = params.disabled ? 'disabled' : 'enabled'
      return work.save({
        ...before,
        description: keep(params.description, before.description),
        enabled_events: params.enabled_events ?? before.enabled_events,
        metadata: mergeMetadata(before.metadata, params.metadata),
        status: params.disabled === undefined ? before.status : status,
        url: params.url ?? before.url,
      })
    },
  ),
  route('DELETE /v1/webhook_endpoints/:id', {}, async ({ work, id }) => {
    await work.claim('webhook_endpoint', id)
    await work.database.query('delete from sandbox.deliveries where endpoint = $1', [id])
    await work.database.query('delete from sandbox.objects where id = $1', [id])
    return { id, object: 'webhook_endpoint', deleted: true }
  }),

  route(
    'POST /v1/payment_method_domains',
    { domain_name: required(text), enabled: flag },
    async ({ work, params }) => {
      const [known] = await work.all('payment_method_domain', { domain_name: params.domain_name })
      return (
        known ?? work.insert(newPaymentMethodDomain(work.now, params.domain_name, params.enabled ?? true))
      )
    },
  ),
  route(
    'GET /v1/payment_method_domains',
    { ...paging, domain_name: text, enabled: flag },
    ({ work, params: { domain_name, enabled, ...page } }) =>
      work.list(
        'payment_method_domain',
        '/v1/payment_method_domains',
        { match: { domain_name, enabled } },
        page,
      ),
  ),
  route('POST /v1/payment_method_domains/:id', { enabled: flag }, async ({ work, id, params }) => {
    const before = await work.claim('payment_method_domain', id)
    return work.save({ ...before, enabled: params.enabled ?? before.enabled })
  }),
  route('POST /v1/payment_method_domains/:id/validate', {}, ({ work, id }) =>
    work.get('payment_method_domain', id),
  ),
]
