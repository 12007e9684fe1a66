import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'

const sha256 = (data: Uint8Array | string) => createHash('sha256').update(data).digest()
const encode = (data: Uint8Array | string) => Buffer.from(data).toString('base64url')

/** Encodes CBOR, as far as an attestation and a key need it. */
function cbor(value: string | number | Uint8Array | Map<string | number, unknown>): Buffer {
  const head = (major: number, length: number) =>
    length < 24
      ? Buffer.from([(major << 5) | length])
      : length < 256
        ? Buffer.from([(major << 5) | 24, length])
        : Buffer.from([(major << 5) | 25, length >> 8, length & 255])
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value)
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)])
  if (value instanceof Uint8Array) return Buffer.concat([head(2, value.length), value])
  const pairs = [...value].flatMap(([key, each]) => [cbor(key), cbor(each as never)])
  return Buffer.concat([head(5, value.size), ...pairs])
}

type Options = { challenge: string; rp?: { id: string }; rpId?: string }

/** A phone with one passkey on it, without a browser: tests can make it misbehave. */
export function createAuthenticator(origin: string, { id = randomBytes(16) }: { id?: Uint8Array } = {}) {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  const credentialId = encode(id)
  const phone = { origin, counter: 1, verifiesUser: true }

  const clientData = (type: string, { challenge }: Options) =>
    Buffer.from(JSON.stringify({ type, challenge, origin: phone.origin, crossOrigin: false }))

  function authenticatorData({ rp, rpId }: Options, attested = Buffer.alloc(0)) {
    const counter = Buffer.alloc(4)
    counter.writeUInt32BE(phone.counter)
    const flags = 0x01 | (phone.verifiesUser ? 0x04 : 0) | (attested.length > 0 ? 0x40 : 0)
    return Buffer.concat([sha256(rp?.id ?? rpId ?? ''), Buffer.from([flags]), counter, attested])
  }

  const answer = (response: Record<string, unknown>) => ({
    id: credentialId,
    rawId: credentialId,
    type: 'public-key',
    clientExtensionResults: {},
    response,
  })

  return {
    phone,
    id: credentialId,

    /** `options` as the shop gives them. */
    register(given: Record<string, unknown>) {
      const options = given as Options
      const key = new Map<number, unknown>([
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, Buffer.from(x, 'base64url')],
        [-3, Buffer.from(y, 'base64url')],
      ])
      const attested = Buffer.concat([Buffer.alloc(16), Buffer.from([id.length >> 8, id.length & 255]), id, cbor(key)])
      const attestation = new Map<string, unknown>([
        ['fmt', 'none'],
        ['attStmt', new Map()],
        ['authData', authenticatorData(options, attested)],
      ])
      return answer({
        clientDataJSON: encode(clientData('webauthn.create', options)),
        attestationObject: encode(cbor(attestation)),
        transports: ['internal'],
      })
    },

    authenticate(given: Record<string, unknown>) {
      const options = given as Options
      phone.counter += 1
      const [data, client] = [authenticatorData(options), clientData('webauthn.get', options)]
      return answer({
        clientDataJSON: encode(client),
        authenticatorData: encode(data),
        signature: encode(sign('sha256', Buffer.concat([data, sha256(client)]), privateKey)),
      })
    },
  }
}
