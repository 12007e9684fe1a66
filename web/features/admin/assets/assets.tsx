import { BellRing, ClipboardPaste, ListChecks } from 'lucide-react'
import { useState } from 'react'
import * as z from 'zod/mini'
import { reminders } from '#contract/access/access-admin.ts'
import { lastReviewOf } from '#contract/access/assets.ts'
import { assetsAdmin } from '#contract/access/assets-admin.ts'
import { catalog } from '#contract/selling/catalog.ts'
import { CallButton } from '#web/api/call-button.tsx'
import { call, useData } from '#web/api/client.ts'
import { useSettings } from '#web/api/settings.tsx'
import { toastError, useCall } from '#web/api/use-call.ts'
import { Button } from '#web/ui/button.tsx'
import { Card, EmptyState, Pending } from '#web/ui/card.tsx'
import { runIfConfirmed } from '#web/ui/confirm.tsx'
import { Field, Form, SubmitButton } from '#web/ui/form.tsx'
import { Input } from '#web/ui/input.tsx'
import { Time } from '#web/ui/time.tsx'
import { toast } from '#web/ui/toast.tsx'
import { ExportButton, ExportProgress, useExport } from '../exports/exports.tsx'
import { Attention } from '../inbox/attention.tsx'
import { useDialog } from '../lists/use-filters.ts'
import { ChecklistLine } from '../overview/checklist.tsx'
import { formatCount } from '../parts/count.ts'
import { ProductChoice, useProducts } from '../parts/products.tsx'
import { AssetList } from './asset-list.tsx'
import { ImportDialog } from './import-dialog.tsx'

const assetForm = z.pick(assetsAdmin.add.input, { ticker: true, note: true })

export default function Assets() {
  return (
    <div className="grid items-start gap-6 lg:grid-cols-[1fr_20rem]">
      <div className="col-span-full -mb-2">
        <ChecklistLine />
        <Attention />
      </div>
      <SymbolList />
      <div className="grid gap-6 sm:grid-cols-2 lg:grid-cols-1">
        <ExportCard />
        <QuickActions />
      </div>
    </div>
  )
}

function SymbolList() {
  const query = useData(assetsAdmin.list, {})
  const productsWithList = useProducts().filter((product) => product.list !== null)
  const [chosenProductId, setChosenProductId] = useState<string>()
  const product = productsWithList.find(({ id }) => id === chosenProductId) ?? productsWithList[0]
  const productAssets = query.data?.filter(({ productId }) => productsWithList.length < 2 || productId === product?.id)
  const [firstProduct] = useSettings().products
  const [isImporting, setIsImporting] = useDialog('import')
  const add = useCall(assetsAdmin.add, { succeeded: 'Asset added successfully', failed: 'Failed to add asset' })
  const reviewedAt = productAssets && lastReviewOf(productAssets)

  return (
    <Card className="flex flex-col gap-6">
      <header className="flex flex-wrap items-center gap-x-4 gap-y-3">
        <div className="flex-1 basis-48">
          <h2 className="text-xl">Recommended Assets</h2>
          {reviewedAt && (
            <p className="text-sm text-muted">
              Last reviewed <Time value={reviewedAt} />
            </p>
          )}
        </div>
        <ProductChoice products={productsWithList} value={product?.id} onChange={setChosenProductId} />
        <Button variant="secondary" size="sm" onClick={() => setIsImporting(true)}>
          <ClipboardPaste className="size-4" />
          Import list
        </Button>
        <CallButton
          call={assetsAdmin.review}
          input={product ? { productId: product.id } : {}}
          options={{ succeeded: 'List marked as reviewed', failed: 'Failed to mark as reviewed' }}
          variant="secondary"
          size="sm"
          disabled={!productAssets?.length}
        >
          <ListChecks className="size-4" />
          Mark as reviewed
        </CallButton>
      </header>
      <Form
        schema={assetForm}
        aria-label="Add Asset"
        resetAfterwards
        className="grid items-start gap-3 sm:grid-cols-[11rem_1fr_auto]"
        onSubmit={async (fields) => {
          const isOffSale = product !== undefined && product.state !== 'on sale'
          const productId = isOffSale ? product.id : await productIdOf(product ?? firstProduct)
          await add.mutateAsync({ productId, ...fields, sortOrder: (productAssets?.length ?? 0) + 1, isActive: true })
        }}
      >
        <Field name="ticker" label="Ticker">
          <Input
            required
            maxLength={30}
            autoComplete="off"
            autoCapitalize="characters"
            spellCheck={false}
            placeholder="AAPL"
            className="uppercase placeholder:normal-case"
            onInput={(event) => {
              const { currentTarget: input } = event
              const { selectionStart } = input
              input.value = input.value.toUpperCase()
              input.setSelectionRange(selectionStart, selectionStart)
            }}
          />
        </Field>
        <Field name="note" label="Note (optional)">
          <Input maxLength={500} autoComplete="off" placeholder="What buyers should know" />
        </Field>
        <SubmitButton className="sm:mt-7.5" pendingText="Adding...">
          Add Asset
        </SubmitButton>
      </Form>
      {!query.data && <Pending query={query} className="h-40" />}
      {productAssets?.length === 0 && (
        <EmptyState title="No assets added yet" description="Add the first ticker buyers should see." />
      )}
      {productAssets && productAssets.length > 0 && <AssetList assets={productAssets} />}
      {isImporting && product && (
        <ImportDialog
          productId={product.id}
          existingAssets={productAssets ?? []}
          onClose={() => setIsImporting(false)}
        />
      )}
    </Card>
  )
}

/** The page's settings don't have the id. */
async function productIdOf({ slug }: { slug: string }): Promise<string> {
  try {
    return (await call(catalog.product, { slug })).id
  } catch (error) {
    toast({ title: 'Failed to get product', description: 'Please try again.', destructive: true })
    throw error
  }
}

function ExportCard() {
  const { running, run, cancel } = useExport()
  return (
    <Card className="flex flex-col gap-4">
      <h2 className="text-lg">Export Data</h2>
      <div className="flex flex-col gap-2">
        {(['buyers', 'orders', 'forms'] as const).map((kind) => (
          <ExportButton key={kind} kind={kind} running={running} run={run} className="justify-start" />
        ))}
      </div>
      {running && <ExportProgress kind={running} onCancel={cancel} />}
    </Card>
  )
}

const formatBuyers = (count: number) => formatCount(count, 'buyer')

function QuickActions() {
  const sendReminders = useCall(reminders.adminSend, {
    failed: 'Failed to send reminders',
    onSuccess: ({ queued }) => toast({ title: `Reminders queued for ${formatBuyers(queued)}` }),
  })

  // The button stays enabled meanwhile, because the dialog returns the focus to it.
  async function confirmAndSend() {
    let due: number
    try {
      due = (await call(reminders.adminCount, {})).due
    } catch (error) {
      toastError('Failed to send reminders', error)
      return
    }
    if (due === 0) {
      toast({
        title: 'No reminders to send',
        description: 'Every active buyer has a TradingView username or was reminded this week.',
      })
      return
    }
    const description = `Email ${formatBuyers(due)} without a TradingView username? No one gets two in a week.`
    runIfConfirmed({ title: 'Send reminders', description, action: 'Send reminders' }, () => sendReminders.mutate({}))
  }

  return (
    <Card className="flex flex-col gap-4">
      <h2 className="text-lg">Quick Actions</h2>
      <p className="text-sm text-muted">For active buyers who haven’t told us their TradingView username.</p>
      <Button
        variant="secondary"
        className="justify-start"
        pending={sendReminders.isPending}
        onClick={() => void confirmAndSend()}
      >
        {!sendReminders.isPending && <BellRing className="size-4" />}
        Send Reminders
      </Button>
    </Card>
  )
}
