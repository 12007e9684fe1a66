import { type ChangeEvent, useId, useState } from 'react'
import { settings } from '#contract/admin/settings.ts'
import { toastError, useCall } from '#web/api/use-call.ts'
import { Button } from '#web/ui/button.tsx'

type Props = { photo: string | null; source: 'environment' | 'here' | 'default' }

export function PhotoField({ photo, source }: Props) {
  const id = useId()
  const [isReading, setIsReading] = useState(false)
  const save = useCall(settings.adminSavePhoto, { succeeded: 'Photo saved', failed: 'Failed to save the photo' })

  async function savePicture({ target }: ChangeEvent<HTMLInputElement>) {
    const [file] = target.files ?? []
    target.value = ''
    if (!file) return
    setIsReading(true)
    try {
      save.mutate({ photo: await scaleToJpeg(file) })
    } catch (error) {
      toastError('Failed to read the picture', error)
    } finally {
      setIsReading(false)
    }
  }

  const chooseText = photo ? 'Replace photo' : 'Choose photo'
  return (
    <div className="flex flex-wrap items-center gap-4">
      {photo ? (
        <img src={photo} alt="The maker" className="size-20 rounded-full border border-line object-cover" />
      ) : (
        <span className="grid size-20 place-items-center rounded-full border border-dashed border-field text-xs text-muted">
          No photo
        </span>
      )}
      {source === 'environment' ? (
        <p className="text-sm text-muted">Set on the server by MAKER_PHOTO</p>
      ) : (
        <>
          <label
            htmlFor={id}
            className="inline-flex h-9 cursor-pointer items-center rounded-md border border-line bg-surface px-3 text-sm font-medium hover:border-field has-[+input:focus-visible]:outline-2"
          >
            {isReading || save.isPending ? 'Saving...' : chooseText}
          </label>
          <input
            id={id}
            type="file"
            accept="image/jpeg,image/png,image/webp"
            className="sr-only"
            onChange={(event) => void savePicture(event)}
          />
          {photo && (
            <Button variant="ghost" size="sm" onClick={() => save.mutate({ photo: '' })}>
              Remove photo
            </Button>
          )}
        </>
      )}
    </div>
  )
}

/** Characters of the photo in base64; a little below the server's limit. */
const maxBase64Length = 60_000
const targetEdgePx = 480

/** Crops to a small square JPEG in base64, which also removes the camera's metadata. */
async function scaleToJpeg(file: File): Promise<string> {
  const picture = await createImageBitmap(file)
  const edge = Math.min(picture.width, picture.height)
  const canvas = document.createElement('canvas')
  canvas.width = canvas.height = Math.min(edge, targetEdgePx)
  const left = (picture.width - edge) / 2
  const top = (picture.height - edge) / 2
  canvas.getContext('2d')?.drawImage(picture, left, top, edge, edge, 0, 0, canvas.width, canvas.height)
  for (const quality of [0.9, 0.8, 0.65, 0.5, 0.35]) {
    const [, base64 = ''] = canvas.toDataURL('image/jpeg', quality).split(',')
    if (base64.length <= maxBase64Length) return base64
  }
  throw new Error('This picture is too detailed. Please choose another.')
}
