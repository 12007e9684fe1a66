import { encode } from 'uqr'

/** A QR code as one SVG path on a grid of `size` squares: drawn here, so nobody else sees the secret in it. */
export function drawQr(text: string): { size: number; path: string } {
  const { size, data } = encode(text, { ecc: 'M', border: 2 })
  const squares = data.flatMap((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : '')))
  return { size, path: squares.join('') }
}
