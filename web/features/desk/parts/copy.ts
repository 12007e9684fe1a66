import { toastError } from '#web/api/use-call.ts'
import { toast } from '#web/ui/toast.tsx'

/** Says what was copied, or that it was not; true if it was. */
export async function copy(text: string, title = 'Copied') {
  try {
    await navigator.clipboard.writeText(text)
    toast({ title, description: text })
    return true
  } catch (error) {
    toastError('Failed to copy', error)
    return false
  }
}
