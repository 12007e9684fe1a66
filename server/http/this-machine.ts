import type { IncomingMessage } from 'node:http'

const localName = String.raw`(localhost|([\w-]+\.)+localhost|127(\.\d{1,3}){3}|\[?::1\]?)`
const isLocalHostHeader = new RegExp(`^${localName}(:\\d+)?$`, 'i')
const isLocal = new RegExp(`^${localName}$`, 'i')
const isLoopback = /^(::ffff:)?127\.|^::1$/
const isForwarding = /^(x-forwarded(-.+)?|forwarded|via|x-real-ip|x-client-ip|.+-(client|connecting)-ip)$/

export const isLocalName = (hostname: string) => isLocal.test(hostname)

/** Connecting locally, directly (proxies say whom they speak for), and by a local name, which DNS rebinding can't have. */
export function isFromThisMachine({
  socket,
  headers,
  httpVersion,
}: Pick<IncomingMessage, 'socket' | 'headers' | 'httpVersion'>) {
  return (
    isLoopback.test(socket.remoteAddress ?? '') &&
    httpVersion !== '1.0' &&
    isLocalHostHeader.test(headers.host ?? '') &&
    !Object.keys(headers).some((name) => isForwarding.test(name))
  )
}
