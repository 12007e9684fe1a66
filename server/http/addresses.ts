import type { IncomingHttpHeaders } from 'node:http'
import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net'

const proxyName = /^(loopback|linklocal|uniquelocal)$/

/** How many trusted proxies are in front, or which; 0 when there are none. Undefined when it cannot be parsed. */
export function proxiesOf(given: string): number | string[] | undefined {
  if (/^(false|no|off)$/i.test(given)) return 0
  if (/^(true|yes|on)$/i.test(given)) return 1
  if (/^\d$/.test(given)) return Number(given)
  const proxies = given.split(',').map((proxy) => proxy.trim())
  return proxies.every((proxy) => proxyName.test(proxy) || isNetwork(proxy)) ? proxies : undefined
}

function isNetwork(text: string) {
  const [, address = '', bits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? []
  const version = isIP(address)
  // A network that includes everyone would trust everyone.
  return version !== 0 && (bits === undefined || (Number(bits) > 0 && Number(bits) <= (version === 4 ? 32 : 128)))
}

const familyOf = (address: string) => (isIPv6(address) ? 'ipv6' : 'ipv4')
const nearby = new BlockList()
for (const [network, bits] of [
  ['127.0.0.0', 8],
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['169.254.0.0', 16],
  ['100.64.0.0', 10],
  ['::1', 128],
  ['fc00::', 7],
  ['fe80::', 10],
] as const)
  nearby.addSubnet(network, bits, familyOf(network))

/** Given a number of proxies, the nearest must be on this machine or in a private network: a visitor must not pass for one. */
export function trustIn(proxies: number | string[]) {
  if (proxies === 0) return false
  if (typeof proxies !== 'number') return proxies
  return (address: string, hop: number) => hop < proxies && (hop > 0 || nearby.check(address, familyOf(address)))
}

const mostProxies = 20

/** Read from the right, where our own proxies write, up to what is no address: so `request.ip` is always one. */
export function cleanForwardedFor(headers: IncomingHttpHeaders) {
  const given = headers['x-forwarded-for']
  if (given === undefined) return
  const addresses: string[] = []
  for (const entry of String(given).split(',').slice(-mostProxies).toReversed()) {
    const address = plainAddress(entry.trim())
    if (!address) break
    addresses.unshift(address)
  }
  if (addresses.length > 0) headers['x-forwarded-for'] = addresses.join(', ')
  else delete headers['x-forwarded-for']
}

/** Some balancers write the port too (`192.0.2.1:443`, `[2001:db8::1]:443`); a zone (`fe80::1%eth0`) is free text. */
function plainAddress(entry: string): string | undefined {
  const [, v4, v6] = /^(?:([\d.]+)(?::\d+)?|\[?([\da-f:.]+)\]?(?::\d+)?)$/i.exec(entry) ?? []
  const address = v4 ?? v6 ?? ''
  if (isIP(address) === 0) return undefined
  return /^::ffff:([\d.]+)$/i.exec(address)?.[1] ?? address
}

/** Counted as one, with so many times the limit of a single visitor. */
export type Network = { network: string; times: number }

/** The address and the networks it belongs to. An IPv6 visitor has a /64, and possibly the /48 around it. */
export function networksOf(address: string): Network[] {
  const [, mapped] = /^::ffff:([\d.]+)$/i.exec(address) ?? []
  if (mapped) return [{ network: mapped, times: 1 }]
  const plain = address.split('%')[0] ?? ''
  if (isIPv4(plain) || isIP(plain) === 0) return [{ network: plain, times: 1 }]
  const [head = '', tail = ''] = new URL(`http://[${plain}]`).hostname.slice(1, -1).split('::')
  const [left, right] = [head, tail].map((part) => part.split(':').filter(Boolean)) as [string[], string[]]
  const zeros = Array<string>(8 - left.length - right.length).fill('0')
  const groups = [...left, ...zeros, ...right]
  return [
    { network: `${groups.slice(0, 4).join(':')}::/64`, times: 1 },
    { network: `${groups.slice(0, 3).join(':')}::/48`, times: 5 },
  ]
}

/** Enough to see a flood and where it comes from, too little to identify anyone. */
export function shortAddress(address: string): string {
  const [, v4 = address] = /^::ffff:([\d.]+)$/i.exec(address) ?? []
  if (isIPv4(v4)) return v4.replace(/\d+$/, '0')
  const groups = address.split('::')[0]?.split(':').slice(0, 3) ?? []
  return `${groups.join(':')}::`
}
