// @vitest-environment happy-dom
import { expect, test, vi } from 'vitest'
import { perform, render } from '#web/testing/render.tsx'
import { PlaceFields, PlaceInUse } from './place-fields.tsx'

const details = { company: '', street: '', postalCode: '10001', city: '', country: 'US', vatId: '' }
const valueOf = (name: string) => document.querySelector<HTMLInputElement | HTMLSelectElement>(`[name=${name}]`)?.value

test.for([
  [{ country: 'US' }, ['US', '10001', undefined]],
  [{ country: 'DE', vatId: 'DE123456789' }, ['DE', undefined, 'DE123456789']],
] as const)('a checkout starts with the billing details %j', async ([known, values]) => {
  await render(<PlaceFields known={{ ...details, ...known }} />)
  expect([valueOf('country'), valueOf('postalCode'), valueOf('vatId')]).toEqual(values)
})

test('while a subscription runs, the checkout shows its place and opens the billing details to change it', async () => {
  const onChange = vi.fn<() => void>()
  await render(<PlaceInUse details={{ ...details, country: 'DE', vatId: 'DE123456789' }} onChange={onChange} />)
  expect(document.body.textContent).toContain('taxed for Germany and the VAT ID DE123456789. Change billing details')
  expect(valueOf('country')).toBeUndefined()
  await perform(() => document.querySelector('button')?.click())
  expect(onChange).toHaveBeenCalledOnce()
})
