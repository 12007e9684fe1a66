// @vitest-environment happy-dom
import { QueryClientProvider } from '@tanstack/react-query'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createQueryClient } from '#web/api/query-client.ts'
import { perform, render } from '#web/testing/render.tsx'
import { useCode, useCodeField } from './code-field.tsx'

function Code({ search }: { search: string }) {
  const [code, setCode] = useCode(search)
  return (
    <>
      <output>{code ?? 'closed'}</output>
      <button type="button" onClick={() => setCode(null)}>
        Close
      </button>
    </>
  )
}

test('a closed code field stays closed, although the address contains a code', async () => {
  await render(<Code search="?product=sigma&code=WELCOME" />)
  const shownCode = () => document.querySelector('output')?.textContent
  expect(shownCode()).toBe('WELCOME')
  await perform(() => document.querySelector('button')?.click())
  expect(shownCode()).toBe('closed')
})

test('a removed code does not come back when its quote arrives', async () => {
  const quote = Promise.withResolvers<Response>()
  vi.stubGlobal('fetch', () => quote.promise)
  onTestFinished(() => void vi.unstubAllGlobals())
  const onChange = vi.fn<() => void>()
  function Quoted() {
    const [code, setCode] = useCode('?code=WELCOME')
    useCodeField({ product: { slug: 'sigma' }, billing: 'monthly', code, discount: undefined, onChange })
    return (
      <button type="button" onClick={() => setCode('')}>
        Remove
      </button>
    )
  }
  await render(
    <QueryClientProvider client={createQueryClient()}>
      <Quoted />
    </QueryClientProvider>,
  )
  await perform(() => document.querySelector('button')?.click())
  await perform(async () => {
    quote.resolve(Response.json({ code: 'WELCOME' }))
    await new Promise((resolve) => setTimeout(resolve, 20))
  })
  expect(onChange).not.toHaveBeenCalled()
})
