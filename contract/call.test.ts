import { describe, expect, test } from 'vitest'
import { createCaller } from './call.ts'
import { accounts } from './identity/accounts.ts'
import { checkout } from './selling/checkout.ts'
import { purchases } from './selling/purchases.ts'

const callerOf = (status: number, body: string | null) =>
  createCaller(() => Promise.resolve(new Response(body, { status })))

describe('a call without output', () => {
  const responses = [
    [200, ''],
    [200, 'OK'],
    [201, '{"id":1}'],
    [204, null],
  ] as const

  test.for(responses)('succeeds with status %s and body %j', async ([status, body]) => {
    const { call, callAndCheckDone } = callerOf(status, body)
    expect(await call(accounts.logout, {})).toEqual({})
    expect(await call(purchases.resume, { id: 'p' })).toEqual({})
    expect(await callAndCheckDone(checkout.confirm, { paymentIntentId: 'pi_1' })).toBe(true)
  })

  test('status 202 means that the call is not done yet', async () => {
    expect(await callerOf(202, '').callAndCheckDone(checkout.confirm, { paymentIntentId: 'pi_1' })).toBe(false)
  })

  test('a refusal throws an error with its code', async () => {
    const { callAndCheckDone } = callerOf(409, '{"message":"Not paid yet","code":"not-paid"}')
    await expect(callAndCheckDone(checkout.confirm, { paymentIntentId: 'pi_1' })).rejects.toMatchObject({
      status: 409,
      code: 'not-paid',
      serverMessage: 'Not paid yet',
    })
  })
})
