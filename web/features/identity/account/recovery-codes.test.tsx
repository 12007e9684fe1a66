// @vitest-environment happy-dom
import { expect, onTestFinished, test, vi } from 'vitest'
import { eventually, perform, render } from '#web/testing/render.tsx'
import * as toasts from '#web/ui/toast.tsx'
import { NewRecoveryCodes } from './recovery-codes.tsx'

test('a browser without a clipboard says how to store the codes, and does not blame the connection', async () => {
  vi.spyOn(navigator, 'clipboard', 'get').mockReturnValue(undefined as unknown as Clipboard)
  const toast = vi.spyOn(toasts, 'toast').mockImplementation(() => {})
  onTestFinished(() => void vi.restoreAllMocks())
  await render(<NewRecoveryCodes codes={['abcd-efgh']} onClose={() => {}} />)
  const buttons = [...document.querySelectorAll('button')]
  await perform(() => buttons.find(({ textContent }) => textContent === 'Copy')?.click())
  await eventually(() =>
    expect(toast).toHaveBeenCalledWith(
      expect.objectContaining({ title: 'Failed to copy', description: expect.stringContaining('use Download') }),
    ),
  )
})
