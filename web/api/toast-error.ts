import { ApiError, ConnectionError } from '#contract/call.ts'
import { toast } from '#web/ui/toast.tsx'

export type Message =
  | string
  | {
      title: string
      /** Fallback for errors without a message. */
      description?: string
      /** Shows the description for every error, after the server's reason if the call was refused. */
      isFixed?: boolean
    }

/** True if the user closed the step-up dialog; no error is shown. */
export const isStepUpCanceled = (error: unknown) => error instanceof ApiError && error.acceptedProofs !== undefined

export function toastError(message: Message, error: unknown) {
  if (isStepUpCanceled(error)) return
  const { title, description, isFixed } = messageParts(message)
  const isRefusal = error instanceof ApiError && error.status < 500
  if (isFixed) {
    const reason = isRefusal ? messageOf(error) : undefined
    const sentences = [reason, description].filter(Boolean)
    toast({ title, description: sentences.join(' ') || 'Please try again.', destructive: true })
    return
  }
  toast({ title, description: messageOf(error) ?? description ?? 'Please try again.', destructive: true })
}

/** Returns the server's user-facing message, else "status: body" (docs/product.md, errors). */
export function messageOf(error: unknown) {
  if (error instanceof ApiError) return error.serverMessage ?? error.message
  if (error instanceof ConnectionError)
    return 'We couldn’t reach the server. Please check your connection and try again.'
  return error instanceof Error && error.message ? error.message : undefined
}

export function messageParts(message: Message): Exclude<Message, string> {
  return typeof message === 'string' ? { title: message } : message
}
