import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'

const sha256 = (data: Uint8Array | string) => createHash('sha256').update(data).digest()
const encode = (data: Uint8Array | string) => Buffer.from(data).toString('base64url')

/** Major types of CBOR. */
const cborType = { positive: 0, negative: 1, bytes: 2, text: 3, map: 5 }

function cborHead(major: number, length: number) {
  if (length < 24) return Buffer.from([(major << 5) | length])
  if (length < 256) return Buffer.from([(major << 5) | 24, length])
  return Buffer.from([(major << 5) | 25, length >> 8, length & 255])
}

/** Encodes only the CBOR types that an attestation and a key need. */
function cbor(value: string | number | Uint8Array | Map<string | number, unknown>): Buffer {
  if (typeof value === 'number')
    return value < 0 ? cborHead(cborType.negative, -1 - value) : cborHead(cborType.positive, value)
  if (typeof value === 'string')
    return Buffer.concat([cborHead(cborType.text, Buffer.byteLength(value)), Buffer.from(value)])
  if (value instanceof Uint8Array) return Buffer.concat([cborHead(cborType.bytes, value.length), value])
  const pairs = [...value].flatMap(([key, entry]) => [cbor(key), cbor(entry as never)])
  return Buffer.concat([cborHead(cborType.map, value.size), ...pairs])
}

const coseKey = { type: 1, algorithm: 3, curve: -1, x: -2, y: -3 }
const [ec2, es256, p256] = [2, -7, 1]
const flagBits = { userPresent: 0x01, userVerified: 0x04, attestedData: 0x40 }

type Options = { challenge: string; rp?: { id: string }; rpId?: string }

/** A phone with one passkey. Tests can make it misbehave. */
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
    const isVerified = phone.verifiesUser ? flagBits.userVerified : 0
    const hasAttested = attested.length > 0 ? flagBits.attestedData : 0
    const flags = flagBits.userPresent | isVerified | hasAttested
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

    register(shopOptions: Record<string, unknown>) {
      const options = shopOptions as Options
      const key = new Map<number, unknown>([
        [coseKey.type, ec2],
        [coseKey.algorithm, es256],
        [coseKey.curve, p256],
        [coseKey.x, Buffer.from(x, 'base64url')],
        [coseKey.y, Buffer.from(y, 'base64url')],
      ])
      const aaguid = Buffer.alloc(16)
      const idLength = Buffer.from([id.length >> 8, id.length & 255])
      const attested = Buffer.concat([aaguid, idLength, id, cbor(key)])
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

    authenticate(shopOptions: Record<string, unknown>) {
      const options = shopOptions as Options
      phone.counter += 1
      const data = authenticatorData(options)
      const client = clientData('webauthn.get', options)
      return answer({
        clientDataJSON: encode(client),
        authenticatorData: encode(data),
        signature: encode(sign('sha256', Buffer.concat([data, sha256(client)]), privateKey)),
      })
    },
  }
}
