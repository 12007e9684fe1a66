// @vitest-environment happy-dom
import { QueryClientProvider } from '@tanstack/react-query'
import { expect, test } from 'vitest'
import { createQueryClient } from '#web/api/query-client.ts'
import { eventually, perform, render } from '#web/testing/render.tsx'
import { ReviewForm } from './review-form.tsx'

test('without stars, the group of stars is focused and described by the error', async () => {
  await render(
    <QueryClientProvider client={createQueryClient()}>
      <ReviewForm name="Ada" />
    </QueryClientProvider>,
  )
  await perform(() => document.querySelector<HTMLElement>('button[type=submit]')?.click())
  await eventually(() => expect(document.activeElement?.role).toBe('radiogroup'))
  const describedBy = document.activeElement?.getAttribute('aria-describedby') ?? ''
  expect(document.getElementById(describedBy)?.textContent).toBe('Please choose between one and five stars')
})
