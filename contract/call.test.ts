import { describe, expect, test } from 'vitest'
import { createCaller } from './call.ts'
import { accounts } from './identity/accounts.ts'
import { checkout } from './selling/checkout.ts'
import { purchases } from './selling/purchases.ts'

const callerOf = (status: number, body: string | null) =>
  createCaller(() => Promise.resolve(new Response(body, { status })))

describe('where the contract promises nothing', () => {
  const answers = [
    [200, ''],
    [200, 'OK'],
    [201, '{"id":1}'],
    [204, null],
  ] as const

  test.for(answers)('%s with the body %j is done', async ([status, body]) => {
    const { call, isDone } = callerOf(status, body)
    expect(await call(accounts.logout, {})).toEqual({})
    expect(await call(purchases.resume, { id: 'p' })).toEqual({})
    expect(await isDone(checkout.confirm, { paymentIntentId: 'pi_1' })).toBe(true)
  })

  test('202 says "not yet"', async () => {
    expect(await callerOf(202, '').isDone(checkout.confirm, { paymentIntentId: 'pi_1' })).toBe(false)
  })

  test('a refusal is still an error, with its code', async () => {
    const { isDone } = callerOf(409, '{"message":"Not paid yet","code":"not-paid"}')
    await expect(isDone(checkout.confirm, { paymentIntentId: 'pi_1' })).rejects.toMatchObject({
      status: 409,
      code: 'not-paid',
      serverMessage: 'Not paid yet',
    })
  })
})
