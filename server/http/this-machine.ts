import type { IncomingMessage } from 'node:http'

const localName = String.raw`(localhost|([\w-]+\.)+localhost|127(\.\d{1,3}){3}|\[?::1\]?)`
const isLocalHostHeader = new RegExp(`^${localName}(:\\d+)?$`, 'i')
const isLocal = new RegExp(`^${localName}$`, 'i')
const isLoopback = /^(::ffff:)?127\.|^::1$/
const isForwarding = /^(x-forwarded-.+|forwarded|via|x-real-ip|x-client-ip|.+-(client|connecting)-ip)$/

/** A name or an address that always means the machine itself. */
export const isLocalName = (hostname: string) => isLocal.test(hostname)

/**
 * Somebody who sits at this machine: from here, straight (proxies say whom they speak for, and those that do not,
 * speak HTTP 1.0), and by a local name: a page of another site that has its own name point here (DNS rebinding)
 * still sends that name.
 */
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
