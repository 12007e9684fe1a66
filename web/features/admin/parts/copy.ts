import { toast } from '#web/ui/toast.tsx'

export async function copy(text: string, title = 'Copied') {
  try {
    await navigator.clipboard.writeText(text)
    toast({ title, description: text })
  } catch {
    const description = `Your browser doesn’t allow it. Please copy it from here: ${text}`
    toast({ title: 'Failed to copy', description, destructive: true })
  }
}
