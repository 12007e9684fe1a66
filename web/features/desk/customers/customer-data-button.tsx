import { FileDown } from 'lucide-react'
import { customerData } from '#contract/identity/customer-data.ts'
import { useCall } from '#web/api/use-call.ts'
import { Button } from '#web/ui/button.tsx'
import { saveFile } from '../parts/save-file.ts'

/** Everything the shop keeps about one customer, as one file. */
export function CustomerDataButton({ id, email }: { id: string; email: string }) {
  const download = useCall(customerData.adminDownload, {
    succeeded: 'Customer data exported',
    failed: 'Failed to export the customer’s data',
    onSuccess: (data) =>
      saveFile(
        new Blob([JSON.stringify(data, null, 2)], { type: 'application/json' }),
        `${email.replaceAll(/[^\w.@-]/g, '_')}.json`,
      ),
  })
  return (
    <Button
      variant="secondary"
      size="sm"
      pending={download.isPending}
      onClick={() => download.mutate({ id })}
    >
      <FileDown className="size-4" aria-hidden="true" />
      Export everything
    </Button>
  )
}
