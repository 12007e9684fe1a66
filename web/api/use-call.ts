import { useMutation, useQueryClient } from '@tanstack/react-query'
import { ApiError } from '#contract/call.ts'
import type { Endpoint, InputOf, OutputOf } from '#contract/endpoint.ts'
import { toast } from '#web/ui/toast.tsx'
import { call, keyOf } from './client.ts'
import { type Message, parts, toastError } from './toast-error.ts'

export { messageOf, toastError } from './toast-error.ts'

/** Mutation that reports its outcome and refreshes the queries it affects. */
export function useCall<E extends Endpoint>(
  endpoint: E,
  options: {
    refreshes?: Endpoint[]
    succeeded?: Message
    failed?: Message
    onSuccess?: (output: OutputOf<E>, input: InputOf<E>) => unknown
  },
) {
  const client = useQueryClient()
  const keys = options.refreshes?.map((row) => keyOf(row)) ?? (endpoint.path.startsWith('/api/admin') ? [[]] : [])
  return useMutation<OutputOf<E>, Error, InputOf<E>>({
    mutationFn: (input) => call(endpoint, input),
    onSuccess: async (output, input) => {
      if (options.succeeded) toast(parts(options.succeeded))
      await Promise.all(keys.map((queryKey) => client.invalidateQueries({ queryKey })))
      await options.onSuccess?.(output, input)
    },
    onError: (error) => {
      // A second step is not a failed login.
      if (options.failed && !(error instanceof ApiError && error.secondSteps)) toastError(options.failed, error)
    },
  })
}
