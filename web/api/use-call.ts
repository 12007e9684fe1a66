import { useMutation, useQueryClient } from '@tanstack/react-query'
import { ApiError } from '#contract/call.ts'
import type { Endpoint, InputOf, OutputOf } from '#contract/endpoint.ts'
import { toast } from '#web/ui/toast.tsx'
import { call } from './client.ts'
import { keyOf } from './use-data.ts'

type Message =
  | string
  | {
      title: string
      /** Used when the error has no message of its own. */
      description?: string
      /** Shown for any server failure (5xx), whatever the server says. */
      isFixed?: boolean
    }

/** A call that changes something: reports how it went and refreshes the lists it affects. */
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
  return useMutation<OutputOf<E>, Error, InputOf<E>>({
    mutationFn: (input) => call(endpoint, input),
    onSuccess: async (output, input) => {
      if (options.succeeded) toast(parts(options.succeeded))
      await Promise.all(
        (options.refreshes ?? []).map((row) => client.invalidateQueries({ queryKey: keyOf(row) })),
      )
      await options.onSuccess?.(output, input)
    },
    onError: (error) => {
      // A login that goes on has not failed.
      if (options.failed && !(error instanceof ApiError && error.next)) toastError(options.failed, error)
    },
  })
}

/** What went wrong, else the message's own description, else at least what to do. */
export function toastError(message: Message, error: unknown) {
  const { title, description, isFixed } = parts(message)
  const isFault = error instanceof ApiError && error.status >= 500
  const said = isFixed && isFault ? undefined : messageOf(error)
  toast({ title, description: said ?? description ?? 'Please try again.', destructive: true })
}

/** The server's user-facing message, else "status: body" (section 8 of the spec). */
export function messageOf(error: unknown) {
  if (error instanceof ApiError) return error.serverMessage ?? error.message
  // `fetch` rejects with a TypeError when the server can't be reached.
  if (error instanceof TypeError)
    return 'We couldn’t reach the server. Please check your connection and try again.'
  return error instanceof Error && error.message ? error.message : undefined
}

function parts(message: Message): Exclude<Message, string> {
  return typeof message === 'string' ? { title: message } : message
}
