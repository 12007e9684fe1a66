import { expect, test } from 'vitest'
import { readSubscribers } from './read-subscribers.ts'

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
        plan: 'yearly',
        paidUntil: '2027-01-31',
      },
    ],
    repeated: new Map(),
  })
})

test('lines keep their numbers in the file, also after empty ones and line breaks in quotes', () => {
  const file = 'email,name,plan,until\n\na@example.com,"A\n""B""",monthly,x\n , ,,\nb@example.com,B,monthly,y'
  expect(readSubscribers(file).lines).toMatchObject([
    { line: 3, name: 'A\n"B"' },
    { line: 6, email: 'b@example.com' },
  ])
})

test('a person who is in the file twice is found', () => {
  const file = 'email,plan,paid until\na@example.com,m,x\nb@example.com,m,x\nA@EXAMPLE.com,m,x'
  expect(readSubscribers(file).repeated).toEqual(new Map([[4, 2]]))
})

test('a file without the needed columns is refused by their names', () => {
  expect(readSubscribers('').fault).toBe('This file is empty.')
  expect(readSubscribers('email,plan,until').fault).toBe('There is no one in this file.')
  expect(readSubscribers('ada@example.com,Ada').fault).toBe(
    'The first line must name the columns. Missing: email, plan, paid until.',
  )
})
