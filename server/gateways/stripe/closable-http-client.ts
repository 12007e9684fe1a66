import StripeSdk from 'stripe'

type HttpClient = ReturnType<typeof StripeSdk.createNodeHttpClient>

const message = 'The shop does not know yet whether this key belongs to the account of its database'

/** While `maySend` is false, nothing is sent and the answer is a 503 that is not retried. */
export function closableHttpClient(maySend: () => boolean): HttpClient {
  const client = StripeSdk.createNodeHttpClient()
  const send = client.makeRequest.bind(client)
  client.makeRequest = async (...request) => (maySend() ? send(...request) : unavailableResponse)
  return client
}

const unavailableResponse = {
  getStatusCode: () => 503,
  getHeaders: () => ({ 'stripe-should-retry': 'false', 'retry-after': '30' }),
  getRawResponse: () => undefined,
  toStream: () => {
    throw new Error(message)
  },
  toJSON: async () => ({ error: { type: 'api_error', message } }),
}
