// @vitest-environment happy-dom
import { expect, onTestFinished, test, vi } from 'vitest'
import { eventually, perform, render } from '#web/testing/render.tsx'
import { UsernameInput } from './username-input.tsx'

test('choosing a similar username moves the focus back to the field', async () => {
  vi.stubGlobal('fetch', async (_address: string, { body }: RequestInit) => {
    const isKnown = JSON.stringify(body).includes('ada_trades')
    const similar = isKnown ? [] : ['ada_trades']
    return Response.json({ found: isKnown, username: isKnown ? 'ada_trades' : null, similar, refusal: null })
  })
  onTestFinished(() => void vi.unstubAllGlobals())
  await render(<UsernameInput />)
  const input = document.querySelector('input')
  await perform(() => {
    if (input) input.value = 'ada_trade'
    input?.dispatchEvent(new FocusEvent('focusout', { bubbles: true }))
  })
  await eventually(() => expect(document.querySelector('button')?.textContent).toBe('ada_trades'))
  await perform(() => {
    document.querySelector('button')?.focus()
    document.querySelector('button')?.click()
  })
  await eventually(() => expect(document.body.textContent).toContain('Found on TradingView: ada_trades'))
  expect(document.activeElement).toBe(input)
})
