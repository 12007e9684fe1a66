import StripeSdk from 'stripe'

type HttpClient = ReturnType<typeof StripeSdk.createNodeHttpClient>

const message = 'The shop does not know yet whether this key belongs to the account of its database'

/** Answers in Stripe's place while requests may not be sent, as an outage that the SDK does not retry. */
export function closableHttpClient(maySend: () => boolean): HttpClient {
  const client = StripeSdk.createNodeHttpClient()
  const send = client.makeRequest.bind(client)
  client.makeRequest = async (...request) => (maySend() ? send(...request) : closedClient)
  return client
}

const closedClient = {
  getStatusCode: () => 503,
  getHeaders: () => ({ 'stripe-should-retry': 'false', 'retry-after': '30' }),
  getRawResponse: () => undefined,
  toStream: () => {
    throw new Error(message)
  },
  toJSON: async () => ({ error: { type: 'api_error', message } }),
}
