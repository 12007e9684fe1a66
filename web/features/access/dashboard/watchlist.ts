/** TradingView's watchlist import format: comma-separated symbols. */
export function watchlistOf(assets: { ticker: string }[]) {
  return assets.map(({ ticker }) => ticker).join(',')
}

export function saveAsFile(name: string, text: string) {
  const address = URL.createObjectURL(new Blob([text], { type: 'text/plain' }))
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  URL.revokeObjectURL(address)
}
