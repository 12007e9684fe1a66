// @vitest-environment happy-dom
import { expect, test, vi } from 'vitest'
import { perform, render } from '#web/testing/render.tsx'
import { Dialog } from './dialog.tsx'

test('a press on the backdrop closes a dialog, and one on its scrollbar does not', async () => {
  const onClose = vi.fn<() => void>()
  await render(
    <Dialog title="Tall" onClose={onClose}>
      Text
    </Dialog>,
  )
  const dialog = document.querySelector('dialog')
  if (!dialog) throw new Error('The dialog must be rendered')
  dialog.getBoundingClientRect = () => new DOMRect(100, 50, 400, 600)
  const press = (clientX: number) =>
    perform(() => dialog.dispatchEvent(new PointerEvent('pointerdown', { bubbles: true, clientX, clientY: 300 })))
  await press(490)
  expect(onClose).not.toHaveBeenCalled()
  await press(510)
  expect(onClose).toHaveBeenCalledOnce()
})
