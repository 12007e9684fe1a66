// @vitest-environment happy-dom
import { expect, onTestFinished, test, vi } from 'vitest'
import * as toasts from '#web/ui/toast.tsx'
import { copy } from './copy.ts'

const refuse = () => Promise.reject(new DOMException('Write permission denied.', 'NotAllowedError'))

test.for([
  ['has no clipboard', undefined],
  ['forbids copying', { writeText: refuse }],
] as const)('a browser that %s shows the text to copy, and does not blame the connection', async ([, clipboard]) => {
  vi.spyOn(navigator, 'clipboard', 'get').mockReturnValue(clipboard as unknown as Clipboard)
  const toast = vi.spyOn(toasts, 'toast').mockImplementation(() => {})
  onTestFinished(() => void vi.restoreAllMocks())
  await copy('https://shop.example/?code=SPRING')
  expect(toast).toHaveBeenCalledWith({
    title: 'Failed to copy',
    description: 'Your browser doesn’t allow it. Please copy it from here: https://shop.example/?code=SPRING',
    destructive: true,
  })
})
