import type { IncomingHttpHeaders } from 'node:http'
import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net'

const fastifyAddressGroup = /^(loopback|linklocal|uniquelocal)$/

/** Number of proxies, or their networks; undefined if the setting is invalid. */
export function proxiesOf(setting: string): number | string[] | undefined {
  if (/^(false|no|off)$/i.test(setting)) return 0
  if (/^(true|yes|on)$/i.test(setting)) return 1
  if (/^\d$/.test(setting)) return Number(setting)
  const proxies = setting.split(',').map((proxy) => proxy.trim())
  return proxies.every((proxy) => fastifyAddressGroup.test(proxy) || isNetwork(proxy)) ? proxies : undefined
}

function isNetwork(text: string) {
  const [, address = '', bits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? []
  const version = isIP(address)
  if (version === 0) return false
  if (bits === undefined) return true
  const maxBits = version === 4 ? 32 : 128
  // A network with 0 bits includes every address, so every visitor would be trusted.
  return Number(bits) > 0 && Number(bits) <= maxBits
}

/** The IPv4 address in one like `::ffff:192.0.2.1`. */
const mappedIpv4 = (address: string) => /^::ffff:([\d.]+)$/i.exec(address)?.[1]

const familyOf = (address: string) => (isIPv6(address) ? 'ipv6' : 'ipv4')
const privateNetworks = new BlockList()
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
  privateNetworks.addSubnet(network, bits, familyOf(network))

/** With only a number of proxies, the nearest must be in a private network, or a visitor could pose as a proxy. */
export function trustProxyOption(proxies: number | string[]) {
  if (proxies === 0) return false
  if (typeof proxies !== 'number') return proxies
  return (address: string, hop: number) => {
    const isNearest = hop === 0
    if (isNearest && !privateNetworks.check(address, familyOf(address))) return false
    return hop < proxies
  }
}

const maxForwardedEntries = 20

/** Cuts X-Forwarded-For to the valid addresses at its right end, where our proxies write: `request.ip` is always valid. */
export function cleanForwardedFor(headers: IncomingHttpHeaders) {
  const forwardedFor = headers['x-forwarded-for']
  if (forwardedFor === undefined) return
  const addresses: string[] = []
  for (const entry of String(forwardedFor).split(',').slice(-maxForwardedEntries).toReversed()) {
    const address = plainAddress(entry.trim())
    if (!address) break
    addresses.unshift(address)
  }
  if (addresses.length > 0) headers['x-forwarded-for'] = addresses.join(', ')
  else delete headers['x-forwarded-for']
}

/**
 * Removes the port that some load balancers append (`192.0.2.1:443`, `[2001:db8::1]:443`).
 * Refuses addresses with a zone (`fe80::1%eth0`), because a zone may be any text.
 */
function plainAddress(entry: string): string | undefined {
  const [, v4, v6] = /^(?:([\d.]+)(?::\d+)?|\[?([\da-f:.]+)\]?(?::\d+)?)$/i.exec(entry) ?? []
  const address = v4 ?? v6 ?? ''
  if (isIP(address) === 0) return undefined
  return mappedIpv4(address) ?? address
}

/** Addresses whose requests are counted together; `limitFactor` multiplies the limit of a single visitor. */
export type Network = { network: string; limitFactor: number }

/** Networks under which an address is counted. One IPv6 visitor owns a /64, and often the whole /48 around it. */
export function networksOf(address: string): Network[] {
  const mapped = mappedIpv4(address)
  if (mapped) return [{ network: mapped, limitFactor: 1 }]
  const withoutZone = address.split('%')[0] ?? ''
  if (isIPv4(withoutZone) || isIP(withoutZone) === 0) return [{ network: withoutZone, limitFactor: 1 }]
  const groups = groupsOfIpv6(withoutZone)
  return [
    { network: `${groups.slice(0, 4).join(':')}::/64`, limitFactor: 1 },
    { network: `${groups.slice(0, 3).join(':')}::/48`, limitFactor: 5 },
  ]
}

function groupsOfIpv6(address: string): string[] {
  // URL writes every address in its canonical form.
  const [head = '', tail = ''] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::')
  const leading = head.split(':').filter(Boolean)
  const trailing = tail.split(':').filter(Boolean)
  const zeros = Array<string>(8 - leading.length - trailing.length).fill('0')
  return [...leading, ...zeros, ...trailing]
}

/** Shows in the log where a flood comes from, but identifies no one. */
export function shortAddress(address: string): string {
  const v4 = mappedIpv4(address) ?? address
  if (isIPv4(v4)) return v4.replace(/\d+$/, '0')
  const groups = address.split('::')[0]?.split(':').slice(0, 3) ?? []
  return `${groups.join(':')}::`
}
