import { BellRing } from 'lucide-react'
import { useState } from 'react'
import { reminders } from '#contract/access/access-admin.ts'
import { call } from '#web/api/client.ts'
import { toastError, useCall } from '#web/api/use-call.ts'
import { Button } from '#web/ui/button.tsx'
import { Card } from '#web/ui/card.tsx'
import { ask } from '#web/ui/confirm.tsx'
import { toast } from '#web/ui/toast.tsx'
import { ExportButton, ExportProgress, useExport } from '../exports/exports.tsx'

export function ExportCard() {
  const { progress, run, cancel } = useExport()
  return (
    <Card className="flex flex-col gap-4">
      <h2 className="text-lg">Export Data</h2>
      <div className="flex flex-col gap-2">
        {(['buyers', 'orders', 'forms'] as const).map((kind) => (
          <ExportButton key={kind} kind={kind} running={progress?.kind} run={run} className="justify-start" />
        ))}
      </div>
      {progress && <ExportProgress {...progress} onCancel={cancel} />}
    </Card>
  )
}

const buyers = (count: number) => `${count} ${count === 1 ? 'buyer' : 'buyers'}`

export function QuickActions() {
  const [counting, setCounting] = useState(false)
  const send = useCall(reminders.adminSend, {
    failed: 'Failed to send reminders',
    onSuccess: ({ queued }) => toast({ title: `Reminders queued for ${buyers(queued)}` }),
  })

  async function countAndAsk() {
    setCounting(true)
    const due = await call(reminders.adminCount, {}).then(
      (answer) => answer.due,
      (error: unknown) => toastError('Failed to send reminders', error),
    )
    setCounting(false)
    if (due === 0)
      toast({
        title: 'No reminders to send',
        description: 'Every active buyer has a TradingView username or was reminded this week.',
      })
    if (!due) return
    const description = `Email ${buyers(due)} without a TradingView username? No one gets two in a week.`
    ask({ title: 'Send reminders', description, action: 'Send reminders' }, () => send.mutate({}))
  }

  return (
    <Card className="flex flex-col gap-4">
      <h2 className="text-lg">Quick Actions</h2>
      <p className="text-sm text-muted">For active buyers who haven’t told us their TradingView username.</p>
      <Button
        variant="secondary"
        className="justify-start"
        pending={counting || send.isPending}
        onClick={() => void countAndAsk()}
      >
        {!counting && !send.isPending && <BellRing className="size-4" />}
        Send Reminders
      </Button>
    </Card>
  )
}
