export function saveFile(name: string, content: BlobPart) {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([content]))
  link.download = name
  link.click()
  // The browser may read the URL after the click; one minute is plenty.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}
