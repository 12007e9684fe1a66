import { ApiError } from '#contract/call.ts'
import { toast } from '#web/ui/toast.tsx'

export type Message =
  | string
  | {
      title: string
      /** Fallback for errors without a message. */
      description?: string
      /** Always shown, after the server's reason if there is one. */
      isFixed?: boolean
    }

/** True if the user closed the question for another proof; no error is shown. */
export const wasCalledOff = (error: unknown) => error instanceof ApiError && error.acceptedProofs !== undefined

export function toastError(message: Message, error: unknown) {
  if (wasCalledOff(error)) return
  const { title, description, isFixed } = parts(message)
  const isRefusal = error instanceof ApiError && error.status < 500
  const reason = isFixed && !isRefusal ? undefined : messageOf(error)
  const sentences = isFixed && reason ? `${reason} ${description}` : (reason ?? description ?? 'Please try again.')
  toast({ title, description: sentences, destructive: true })
}

/** Returns the server's user-facing message, else "status: body" (docs/product.md, errors). */
export function messageOf(error: unknown) {
  if (error instanceof ApiError) return error.serverMessage ?? error.message
  // `fetch` rejects with a TypeError when the server can't be reached.
  if (error instanceof TypeError) return 'We couldn’t reach the server. Please check your connection and try again.'
  return error instanceof Error && error.message ? error.message : undefined
}

export function parts(message: Message): Exclude<Message, string> {
  return typeof message === 'string' ? { title: message } : message
}
