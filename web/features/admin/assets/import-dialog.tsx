import { useState } from 'react'
import { assetsAdmin, type ManagedAsset } from '#contract/access/assets-admin.ts'
import { useCall } from '#web/api/use-call.ts'
import { Button } from '#web/ui/button.tsx'
import { Dialog, DialogButtons } from '#web/ui/dialog.tsx'
import { Textarea } from '#web/ui/input.tsx'
import { toast } from '#web/ui/toast.tsx'
import { parseAssetList } from './parse-asset-list.ts'

const maxAssets = 500

type ImportDialogProps = { productId: string; existingAssets: ManagedAsset[]; onClose: () => void }

export function ImportDialog({ productId, existingAssets, onClose }: ImportDialogProps) {
  const [pastedText, setPastedText] = useState('')
  const importAssets = useCall(assetsAdmin.import, {
    failed: 'Failed to import',
    onSuccess: ({ added, skipped }) => {
      const title = `${added} ${added === 1 ? 'asset' : 'assets'} imported`
      toast({ title, description: skipped > 0 ? `${skipped} already on the list.` : undefined })
      onClose()
    },
  })
  const { assets: parsedAssets, faults } = parseAssetList(pastedText)
  const tickers = new Set(parsedAssets.map(({ ticker }) => ticker))
  const existingCount = existingAssets.filter(({ ticker }) => tickers.has(ticker)).length
  const isReady = parsedAssets.length > 0 && faults.length === 0 && parsedAssets.length <= maxAssets

  return (
    <Dialog
      title="Import list"
      description="One asset per line: the ticker, then optionally a comma and a note."
      onClose={onClose}
      className="max-w-lg"
    >
      <Textarea
        aria-label="Assets to import"
        aria-describedby="import-verdict"
        rows={9}
        spellCheck={false}
        placeholder={'AAPL, Strong trend\nNASDAQ:MSFT\nSPY'}
        value={pastedText}
        onChange={(event) => setPastedText(event.target.value)}
        className="font-mono text-sm"
      />
      <output id="import-verdict" className="block text-sm">
        {faults.slice(0, 5).map((fault) => (
          <span key={fault} className="block font-medium text-danger">
            {fault}
          </span>
        ))}
        {faults.length > 5 && <span className="block text-danger">and {faults.length - 5} more</span>}
        {parsedAssets.length > maxAssets && (
          <span className="block text-danger">Please import at most 500 at a time.</span>
        )}
        {isReady && (
          <span className="text-muted">
            {tickers.size - existingCount} new{existingCount > 0 && `, ${existingCount} already on the list`}
          </span>
        )}
      </output>
      <DialogButtons onClose={onClose}>
        <Button
          disabled={!isReady}
          pending={importAssets.isPending}
          pendingText="Importing..."
          onClick={() => importAssets.mutate({ productId, assets: parsedAssets })}
        >
          Import
        </Button>
      </DialogButtons>
    </Dialog>
  )
}
