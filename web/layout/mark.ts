import logo from '#content/logo.svg?raw'

/** The drawing of `content/logo.svg`, without its outer element. */
export const logoDrawing = logo
  .replace(/^[^]*?<svg[^>]*>|<\/svg>\s*$/g, '')
  .replaceAll(/>\s+</g, '><')
  .trim()

/** The logo on a tile, as a file of its own. A viewer's corners may be rounded already. */
export const markSvg = (tile: string, ink: string, corner = 9) =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32" color="${ink}"><rect width="32" height="32" rx="${corner}" fill="${tile}"/>${logoDrawing}</svg>`
