import { expect, test } from 'vitest'
import { cleanForwardedFor, networksOf, shortAddress, trustProxyOption } from './addresses.ts'

test.for([
  ['198.51.100.7', '198.51.100.7'],
  ['a lie, 198.51.100.7', '198.51.100.7'],
  ['203.0.113.1, <b>, 192.0.2.1, 198.51.100.7:443', '192.0.2.1, 198.51.100.7'],
  ['[2001:db8::1]:443', '2001:db8::1'],
  ['::ffff:198.51.100.7', '198.51.100.7'],
  [`${'x'.repeat(9000)}, 2001:db8::1`, '2001:db8::1'],
  [`fe80::1%${'x'.repeat(9000)}`, undefined],
  ['unknown', undefined],
  ['198.51.100.7, unknown', undefined],
  ['', undefined],
] as const)('only addresses in X-Forwarded-For are trusted, from the right: %s', ([received, cleaned]) => {
  const headers = { 'x-forwarded-for': received }
  cleanForwardedFor(headers)
  expect(headers).toEqual(cleaned === undefined ? {} : { 'x-forwarded-for': cleaned })
})

test('a number of proxies covers only private networks, so a visitor who connects directly is not trusted', () => {
  const trusts = trustProxyOption(2)
  if (typeof trusts !== 'function') throw new Error('Expected a number to become a rule')
  for (const privateAddress of ['127.0.0.1', '::1', '::ffff:10.0.0.5', '172.18.0.1', '192.168.0.2', 'fd00::5'])
    expect([privateAddress, trusts(privateAddress, 0)]).toEqual([privateAddress, true])
  for (const publicAddress of ['198.51.100.7', '2001:db8::1', '::ffff:198.51.100.7', '172.32.0.1'])
    expect([publicAddress, trusts(publicAddress, 0)]).toEqual([publicAddress, false])
  expect([trusts('198.51.100.7', 1), trusts('127.0.0.1', 2)]).toEqual([true, false])
})

test('one IPv6 network counts as one visitor, and the larger one around it as five', () => {
  const namesOf = (address: string) => networksOf(address).map(({ network }) => network)
  expect(networksOf('2001:db8:1:2:3:4:5:6')).toEqual(networksOf('2001:DB8:1:2::'))
  expect(networksOf('2001:db8::1')).toEqual([
    { network: '2001:db8:0:0::/64', limitFactor: 1 },
    { network: '2001:db8:0::/48', limitFactor: 5 },
  ])
  expect(namesOf('2001:db8:1:2::')[1]).toBe(namesOf('2001:db8:1:3::')[1])
  expect(namesOf('2001:db8:1:2::')[1]).not.toBe(namesOf('2001:db8:2:2::')[1])
  expect(networksOf('::ffff:198.51.100.7')).toEqual([{ network: '198.51.100.7', limitFactor: 1 }])
  expect(networksOf('198.51.100.7')).toEqual([{ network: '198.51.100.7', limitFactor: 1 }])
  expect(namesOf('fe80::1%eth0')[0]).toBe('fe80:0:0:0::/64')
})

test.for([
  ['198.51.100.7', '198.51.100.0'],
  ['::ffff:198.51.100.7', '198.51.100.0'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1::'],
  ['2001:db8::1', '2001:db8::'],
  ['::1', '::'],
] as const)('the log shortens %s to %s', ([address, short]) => {
  expect(shortAddress(address)).toBe(short)
})
