/** As many characters of base64 as the server takes. */
const most = 60_000
const side = 480

/** A picture as the site needs it: small and square, a JPEG in base64, without what a camera hides in its file. */
export async function smallPicture(file: File): Promise<string> {
  const picture = await createImageBitmap(file)
  const edge = Math.min(picture.width, picture.height)
  const canvas = document.createElement('canvas')
  canvas.width = canvas.height = Math.min(edge, side)
  const [left, top] = [(picture.width - edge) / 2, (picture.height - edge) / 2]
  canvas.getContext('2d')?.drawImage(picture, left, top, edge, edge, 0, 0, canvas.width, canvas.height)
  for (const quality of [0.9, 0.8, 0.65, 0.5, 0.35]) {
    const [, base64 = ''] = canvas.toDataURL('image/jpeg', quality).split(',')
    if (base64.length <= most) return base64
  }
  throw new Error('This picture is too detailed. Please choose another.')
}
