import { useMutation, useQueryClient } from '@tanstack/react-query'
import { GripVertical, Pencil, Trash2 } from 'lucide-react'
import { type KeyboardEvent, type PointerEvent, useRef, useState } from 'react'
import { assetsAdmin, type ManagedAsset } from '#contract/access/assets-admin.ts'
import { CallDialog } from '#web/api/call-dialog.tsx'
import { call, keyOf } from '#web/api/client.ts'
import { toastError, useCall } from '#web/api/use-call.ts'
import { Button } from '#web/ui/button.tsx'
import { classes } from '#web/ui/classes.ts'
import { Field } from '#web/ui/form.tsx'
import { Textarea } from '#web/ui/input.tsx'
import { toast } from '#web/ui/toast.tsx'
import { Tooltip } from '#web/ui/tooltip.tsx'

const listKey = keyOf(assetsAdmin.list)

/** The list changes immediately, before the server answers. */
function useMove() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({ id, to }: { id: string; to: number }) => call(assetsAdmin.move, { id, position: to + 1 }),
    onMutate: async ({ id, to }) => {
      await client.cancelQueries({ queryKey: listKey })
      client.setQueryData<ManagedAsset[]>(listKey, (list = []) => withMovedAsset(list, id, to))
    },
    onError: (error) => toastError('Failed to move asset', error),
    onSettled: () => client.invalidateQueries({ queryKey: listKey }),
  })
}

/** Without confirmation, because Undo restores the asset at its position. */
function useRemove() {
  const remove = useCall(assetsAdmin.delete, { failed: 'Failed to remove asset' })
  const restore = useCall(assetsAdmin.add, { succeeded: 'Asset restored', failed: 'Failed to add asset' })
  return ({ id, ...asset }: ManagedAsset) => {
    const undo = () => restore.mutate(asset)
    // Callbacks of `mutate` don't run after the list has unmounted, which happens with its last asset.
    remove.mutateAsync({ id }).then(
      () => toast({ title: 'Asset removed successfully', action: { label: 'Undo', onPress: undo } }),
      () => undefined,
    )
  }
}

/** `to` is a position among the assets of the same product. */
function withMovedAsset(list: ManagedAsset[], id: string, to: number) {
  const asset = list.find((candidate) => candidate.id === id)
  if (!asset) return list
  const sameProduct = list.filter((other) => other.productId === asset.productId && other !== asset)
  const otherProducts = list.filter((other) => other.productId !== asset.productId)
  return [...sameProduct.toSpliced(to, 0, asset), ...otherProducts]
}

export function AssetList({ assets }: { assets: ManagedAsset[] }) {
  const list = useRef<HTMLOListElement>(null)
  const [drag, setDrag] = useState<{ id: string; to: number } | null>(null)
  const [announcement, setAnnouncement] = useState('')
  const move = useMove()
  const remove = useRemove()
  const toggle = useCall(assetsAdmin.switch, { failed: 'Failed to change asset' })
  const [editing, setEditing] = useState<ManagedAsset | null>(null)
  const orderedAssets = drag ? withMovedAsset(assets, drag.id, drag.to) : assets
  const positions = new Map(orderedAssets.map(({ id }, position) => [id, position] as const))

  function moveTo({ id, ticker }: ManagedAsset, to: number) {
    if (to < 0 || to >= assets.length || assets[to]?.id === id) return
    const text = `${ticker} is now number ${to + 1} of ${assets.length}`
    move.mutate({ id, to }, { onSuccess: () => setAnnouncement(text) })
  }

  function moveByKey(event: KeyboardEvent, asset: ManagedAsset, index: number) {
    const to = { ArrowUp: index - 1, ArrowDown: index + 1, Home: 0, End: assets.length - 1 }[event.key]
    if (to === undefined) return
    event.preventDefault()
    moveTo(asset, to)
  }

  function positionAt(event: PointerEvent) {
    const boxes = [...(list.current?.children ?? [])].map((item) => item.getBoundingClientRect())
    // Reads the order on screen, because CSS reorders the items while dragging.
    const boxesInOrder = boxes.toSorted((a, b) => a.top - b.top)
    const to = boxesInOrder.findIndex(({ bottom }) => event.clientY < bottom)
    return to === -1 ? boxesInOrder.length - 1 : to
  }

  return (
    <>
      <ol ref={list} className="flex flex-col" aria-label="Recommended assets">
        {assets.map((asset, index) => (
          <li
            key={asset.id}
            // CSS reorders while dragging, because an element that moves in the DOM loses the pointer.
            style={{ order: positions.get(asset.id) }}
            className={classes(
              'flex items-center gap-2 border-b border-line py-1 last:border-b-0 sm:gap-3',
              drag?.id === asset.id && 'rounded-md bg-accent-soft',
            )}
          >
            <Tooltip text="Drag or use the arrow keys">
              <button
                type="button"
                aria-label={`Move ${asset.ticker}`}
                className="grid h-10 w-8 shrink-0 cursor-grab touch-none place-items-center rounded-sm text-muted hover:text-ink active:cursor-grabbing"
                onKeyDown={(event) => moveByKey(event, asset, index)}
                onPointerDown={(event) => {
                  event.currentTarget.setPointerCapture(event.pointerId)
                  setDrag({ id: asset.id, to: index })
                }}
                onPointerMove={(event) => drag && setDrag({ id: asset.id, to: positionAt(event) })}
                onPointerUp={(event) => {
                  // The last move may not have been rendered yet.
                  if (drag) moveTo(asset, positionAt(event))
                  setDrag(null)
                }}
                onPointerCancel={() => setDrag(null)}
              >
                <GripVertical className="size-4.5" />
              </button>
            </Tooltip>
            <span className="w-6 text-right text-sm text-muted tabular-nums">
              {(positions.get(asset.id) ?? index) + 1}
            </span>
            <div className="min-w-0 flex-1 py-1.5 sm:flex sm:items-baseline sm:gap-4">
              <strong className="font-semibold break-words sm:w-40 sm:shrink-0">{asset.ticker}</strong>
              <NoteButton asset={asset} onEdit={() => setEditing(asset)} />
            </div>
            <label className="flex h-10 shrink-0 cursor-pointer items-center gap-2 text-sm text-muted">
              <input
                type="checkbox"
                className="size-4.5"
                checked={
                  // The switch shows the new state while it is being saved.
                  toggle.variables?.id === asset.id && toggle.isPending ? toggle.variables.isActive : asset.isActive
                }
                onChange={(event) => toggle.mutate({ id: asset.id, isActive: event.target.checked })}
              />
              <span className="max-sm:sr-only">
                Shown<span className="sr-only"> to owners: {asset.ticker}</span>
              </span>
            </label>
            <Button
              variant="ghost"
              size="icon"
              aria-label={`Delete ${asset.ticker}`}
              onClick={() => remove(asset)}
              className="text-muted hover:bg-danger-soft hover:text-danger"
            >
              <Trash2 className="size-4.5" />
            </Button>
          </li>
        ))}
      </ol>
      <output className="sr-only">{announcement}</output>
      {editing && <NoteDialog asset={editing} onClose={() => setEditing(null)} />}
    </>
  )
}

function NoteButton({ asset, onEdit }: { asset: ManagedAsset; onEdit: () => void }) {
  return (
    <button
      type="button"
      onClick={onEdit}
      className="group flex min-w-0 cursor-pointer items-baseline gap-1.5 text-left text-sm text-muted hover:text-ink"
    >
      <span className="min-w-0 break-words">
        {asset.note && <span className="sr-only">Edit note of {asset.ticker}: </span>}
        {asset.note ?? 'Add a note'}
        {!asset.note && <span className="sr-only"> on {asset.ticker}</span>}
      </span>
      <Pencil className="size-3 shrink-0 opacity-0 group-hover:opacity-100 group-focus-visible:opacity-100" />
    </button>
  )
}

function NoteDialog({ asset, onClose }: { asset: ManagedAsset; onClose: () => void }) {
  return (
    <CallDialog
      title={`Note on ${asset.ticker}`}
      call={assetsAdmin.note}
      extra={{ id: asset.id }}
      options={{ succeeded: 'Note saved', failed: 'Failed to save note' }}
      button={{ pendingText: 'Saving...', children: 'Save note' }}
      onClose={onClose}
    >
      <Field name="note" label="Note" hint="Buyers see it beside the ticker. Leave it empty to remove it.">
        <Textarea rows={3} maxLength={500} defaultValue={asset.note ?? ''} />
      </Field>
    </CallDialog>
  )
}
