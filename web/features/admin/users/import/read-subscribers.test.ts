import { expect, test } from 'vitest'
import { decode } from './decode.ts'
import { readSubscribers } from './read-subscribers.ts'

const linesOf = (file: string, order?: 'day' | 'month') => {
  const read = readSubscribers(file, { order })
  return 'lines' in read ? read.lines : []
}
const fileWithDays = (...days: string[]) =>
  ['email,plan,paid until', ...days.map((day, index) => `${index}@example.com,monthly,"${day}"`)].join('\n')
const readDays = (file: string, order?: 'day' | 'month') => linesOf(file, order).map(({ paidUntil }) => paidUntil)

test('a file from another shop is read by the names of its columns, in any order', () => {
  const file = [
    '\uFEFFName;E-Mail;Plan;Paid until;TradingView',
    '"Ada; Countess";ada@example.com;yearly;2027-01-31;ada_t',
    '',
  ].join('\r\n')
  expect(readSubscribers(file)).toEqual({
    lines: [
      {
        line: 2,
        email: 'ada@example.com',
        name: 'Ada; Countess',
        tradingViewUsername: 'ada_t',
        product: '',
        plan: 'yearly',
        paidUntil: '2027-01-31',
      },
    ],
    repeated: new Map(),
    unused: [],
  })
})

test('lines keep their numbers in the file, also after empty ones and line breaks in quotes', () => {
  const file = 'email,name,plan,until\n\na@example.com,"A\n""B""",monthly,x\n , ,,\nb@example.com,B,monthly,y'
  expect(linesOf(file)).toMatchObject([
    { line: 3, name: 'A\n"B"' },
    { line: 6, email: 'b@example.com' },
  ])
})

test('a person who is in the file twice is found, by email or by TradingView username', () => {
  const file = [
    'email,plan,paid until,username',
    'a@example.com,m,x,ada_t',
    'b@example.com,m,x,',
    'A@EXAMPLE.com,m,x,',
    'c@example.com,m,x,https://www.tradingview.com/u/ADA_t/',
  ]
  expect(readSubscribers(file.join('\n'))).toMatchObject({
    repeated: new Map([
      [4, 'The same email as in line 2. Please remove one of them.'],
      [5, 'The same TradingView username as in line 2. Please remove one of them.'],
    ]),
  })
})

test('columns that the import does not use are listed', () => {
  expect(readSubscribers('email,Tier,plan,paid until,,Notes\na@example.com,x,m,2099-12-31,,y')).toMatchObject({
    unused: ['Tier', 'Notes'],
  })
})

test('days are read as spreadsheets write them', () => {
  const days = ['12/31/2026', '3/4/26', '31.12.2026', '2026/12/31', '31-Dec-2026', 'December 31, 2026', '46387']
  expect(readDays(fileWithDays(...days, '12/31/2026 23:59'))).toEqual([
    '2026-12-31',
    // March 4, because the line before shows that the month comes first.
    '2026-03-04',
    '2026-12-31',
    '2026-12-31',
    '2026-12-31',
    '2026-12-31',
    // A spreadsheet's number of a day is not understood.
    '46387',
    '2026-12-31',
  ])
  expect(readDays(fileWithDays('31/12/2026', '3/4/2026', '31/02/2026'))).toEqual([
    '2026-12-31',
    '2026-04-03',
    '31/02/2026',
  ])
})

test('if all days could be read in two ways, the seller is asked once', () => {
  const file = fileWithDays('05/05/2027', '03/04/2026', '31.12.2026')
  expect(readSubscribers(file)).toEqual({ unclearDay: '03/04/2026' })
  expect(readDays(file, 'month')).toEqual(['2027-05-05', '2026-03-04', '2026-12-31'])
  expect(readDays(file, 'day')).toEqual(['2027-05-05', '2026-04-03', '2026-12-31'])
})

test('a quotation mark that is never closed is found, rather than swallowing the rest', () => {
  expect(readSubscribers('email,plan,until\na@example.com,m,x\nb@example.com,"m,x\nc@example.com,m,x')).toEqual({
    fault: 'A quotation mark in line 3 is never closed. Please correct that line.',
  })
})

test('a file is read in the encoding that the spreadsheet chose, or refused', () => {
  const utf16 = (text: string) => new Uint8Array(Buffer.from(text, 'utf16le'))
  const zoe = 'Zoë Müller; 39 €'
  expect(decode(Buffer.from(zoe))).toEqual({ text: zoe })
  expect(decode(Buffer.concat([Buffer.from('Zoë Müller; 39 ', 'latin1'), Buffer.of(0x80)]))).toEqual({
    text: zoe,
    note: 'Read as Windows-1252: please check names with accents.',
  })
  const workbook = Buffer.from('PK\u0003\u0004…', 'latin1')
  const picture = Buffer.of(0xff, 0xd8, 0x00, 0x10, 0x4a)
  const bytesOfUtf16 = utf16(`\uFEFF${zoe}`)
  for (const bytes of [bytesOfUtf16, utf16(zoe), Buffer.from(bytesOfUtf16).swap16(), workbook, picture])
    expect(decode(bytes)).toMatchObject({
      fault: expect.stringMatching(/^We can’t read this file as text\. .*“CSV” \(UTF-8\)\.$/),
    })
})

test('an empty file, and one without people, is refused', () => {
  expect(readSubscribers('')).toEqual({ fault: 'This file is empty.' })
  expect(readSubscribers('email,plan,until')).toEqual({ fault: 'There is no one in this file.' })
})

test('a file with unknown columns shows its first lines, and is read by the columns that the seller chooses', () => {
  // Ghost exports members without plan or end: TryGhost/Ghost, members-importer/lib/importer.js.
  const ghost = 'id,email,name,note,subscribed_to_emails,complimentary_plan\n1,ada@example.com,Ada,,true,false'
  expect(readSubscribers(ghost)).toEqual({
    unmapped: {
      titles: ['id', 'email', 'name', 'note', 'subscribed_to_emails', 'complimentary_plan'],
      samples: [['1', 'ada@example.com', 'Ada', '', 'true', 'false']],
      guessed: { email: { place: 1 }, name: { place: 2 } },
    },
  })
  const chosenMapping = { email: { place: 1 }, plan: { text: 'yearly' }, paidUntil: { text: '2027-01-31' } }
  expect(readSubscribers(ghost, { chosenMapping })).toMatchObject({
    lines: [{ email: 'ada@example.com', name: '', plan: 'yearly', paidUntil: '2027-01-31' }],
  })
})

test.each([
  // Gumroad's own source lists the columns: antiwork/gumroad, app/services/exports/purchase_export_service.rb.
  [
    'Gumroad',
    'Purchase ID,Item Name,Buyer Name,Purchase Email,Buyer Email,Variants,Recurrence,Subscription End Date\n1,Sigma,Ada,ada@example.com,,(Pro),yearly,2027-01-31',
    'yearly',
  ],
  // Stripe's subscriptions, by the column names of an operator's export; fields as in docs.stripe.com/api/subscriptions.
  [
    'Stripe',
    'id,Customer ID,Customer Email,Customer Name,Plan ID,Interval,Current Period End (UTC)\nsub_1,cus_1,ada@example.com,Ada,price_1,year,2027-01-31 10:00',
    'year',
  ],
])('an export of %s is known by its columns', (_, file, plan) => {
  expect(linesOf(file)).toMatchObject([{ email: 'ada@example.com', name: 'Ada', plan }])
  expect(readDays(file)[0]).toMatch(/^2027-01-31/)
})

test('in a shop with two products, a column names the product, or the seller chooses one for everyone', () => {
  const products = [
    { slug: 'sigma', name: 'Sigma Pro' },
    { slug: 'compass', name: 'Trend Compass' },
  ]
  const withColumn = (product: string) =>
    `Email,Item Name,Plan,Paid until\nada@example.com,Sigma Pro,yearly,2027-01-31\nada@example.com,${product},yearly,2027-01-31`
  expect(readSubscribers(withColumn('compass'), { products })).toMatchObject({
    lines: [{ product: 'Sigma Pro' }, { product: 'compass' }],
    repeated: new Map(),
  })
  const unmapped = { guessed: { email: { place: 0 }, plan: { place: 2 }, paidUntil: { place: 3 } } }
  expect(readSubscribers(withColumn('Sigma Lite'), { products })).toMatchObject({ unmapped })
  const chosenMapping = { ...unmapped.guessed, product: { text: 'compass' } }
  expect(readSubscribers(withColumn('Sigma Lite'), { products, chosenMapping })).toMatchObject({
    lines: [{ product: 'compass' }, { product: 'compass' }],
    repeated: new Map([[3, 'The same email as in line 2. Please remove one of them.']]),
  })
})
