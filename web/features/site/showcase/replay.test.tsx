// @vitest-environment happy-dom
import { expect, test } from 'vitest'
import { perform, render } from '#web/testing/render.tsx'
import Replay from './replay.tsx'

test('the focus stays in the replay at its end and at a new start', async () => {
  await render(<Replay className="" onClose={() => {}} />)
  const click = (name: string) =>
    perform(() => {
      const button = [...document.querySelectorAll('button')].find(({ textContent }) => textContent.startsWith(name))
      button?.focus()
      button?.click()
    })
  await click('To the end')
  expect(document.activeElement?.textContent).toBe('Again')
  await click('Again')
  expect(document.activeElement?.textContent).toContain('Next day')
})
