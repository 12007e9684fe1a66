// @vitest-environment happy-dom
import { expect, test } from 'vitest'
import { perform, render } from '#web/testing/render.tsx'
import { useCode } from './code-field.tsx'

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
