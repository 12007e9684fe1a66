import type { IncomingMessage } from 'node:http'

const localName = String.raw`(localhost|([\w-]+\.)+localhost|127(\.\d{1,3}){3}|\[?::1\]?)`
const localHostHeader = new RegExp(`^${localName}(:\\d+)?$`, 'i')
const localHostname = new RegExp(`^${localName}$`, 'i')
const loopbackAddress = /^(::ffff:)?127\.|^::1$/
const proxyHeader = /^(x-forwarded(-.+)?|forwarded|via|x-real-ip|x-client-ip|.+-(client|connecting)-ip)$/

export const isLocalName = (hostname: string) => localHostname.test(hostname)

/** DNS rebinding cannot send a local name; proxies add headers or, like nginx, forward with HTTP/1.0. */
export function isFromThisMachine({
  socket,
  headers,
  httpVersion,
}: Pick<IncomingMessage, 'socket' | 'headers' | 'httpVersion'>) {
  const isConnectedLocally = loopbackAddress.test(socket.remoteAddress ?? '')
  const hasLocalName = localHostHeader.test(headers.host ?? '')
  const isForwarded = httpVersion === '1.0' || Object.keys(headers).some((name) => proxyHeader.test(name))
  return isConnectedLocally && hasLocalName && !isForwarded
}
