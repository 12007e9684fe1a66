import { toastError } from '#web/api/use-call.ts'
import { toast } from '#web/ui/toast.tsx'

export async function copy(text: string, title = 'Copied') {
  try {
    await navigator.clipboard.writeText(text)
    toast({ title, description: text })
  } catch (error) {
    toastError('Failed to copy', error)
  }
}
