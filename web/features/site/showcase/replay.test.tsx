// @vitest-environment happy-dom
import { expect, test } from 'vitest'
import { eventually, perform, render } from '#web/testing/render.tsx'
import { ReplayFigure } from './figure.tsx'
import Replay from './replay.tsx'

const click = (name: string) =>
  perform(() => {
    const button = [...document.querySelectorAll('button')].find(({ textContent }) => textContent.startsWith(name))
    button?.focus()
    button?.click()
  })

test('the focus stays in the replay at its end and at a new start', async () => {
  await render(<Replay className="" onClose={() => {}} />)
  await click('To the end')
  expect(document.activeElement?.textContent).toBe('Again')
  await click('Again')
  expect(document.activeElement?.textContent).toContain('Next day')
})

test('closing the replay returns the focus to its button', async () => {
  await render(<ReplayFigure className="" />)
  await click('Replay')
  await eventually(() => expect(document.activeElement?.textContent).toContain('Next day'))
  await click('Close')
  expect(document.activeElement?.textContent).toBe('Replay')
})
