import { useMutation, useQueryClient } from '@tanstack/react-query'
import { ApiError } from '#contract/call.ts'
import type { Endpoint, InputOf, OutputOf } from '#contract/endpoint.ts'
import { toast } from '#web/ui/toast.tsx'
import { call, keyOf } from './client.ts'
import { type Message, messageParts, toastError } from './toast-error.ts'

export { messageOf, toastError } from './toast-error.ts'

export function useCall<E extends Endpoint>(
  endpoint: E,
  options: {
    refreshes?: Endpoint[]
    succeeded?: Message
    failed?: Message
    onSuccess?: (output: OutputOf<E>, input: InputOf<E>) => unknown
    /** Calls with the same scope run one after the other, in the order in which they were made. */
    scope?: string
  },
) {
  const client = useQueryClient()
  // The empty key matches every query: a change in the admin area may affect any admin screen.
  const defaultKeys = endpoint.path.startsWith('/api/admin') ? [[]] : []
  const keysToRefresh = options.refreshes?.map((refreshed) => keyOf(refreshed)) ?? defaultKeys
  return useMutation<OutputOf<E>, Error, InputOf<E>>({
    mutationFn: (input) => call(endpoint, input),
    ...(options.scope ? { scope: { id: options.scope } } : {}),
    onSuccess: async (output, input) => {
      if (options.succeeded) toast(messageParts(options.succeeded))
      await Promise.all(keysToRefresh.map((queryKey) => client.invalidateQueries({ queryKey })))
      await options.onSuccess?.(output, input)
    },
    onError: (error) => {
      // The password was right, but the login needs a second step.
      const needsSecondStep = error instanceof ApiError && Boolean(error.secondSteps)
      if (options.failed && !needsSecondStep) toastError(options.failed, error)
    },
  })
}
