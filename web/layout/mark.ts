import logo from '#content/logo.svg?raw'

/** Drawing in `content/logo.svg`, without the outer element. */
export const logoDrawing = logo
  .replace(/^[^]*?<svg[^>]*>|<\/svg>\s*$/g, '')
  .replaceAll(/>\s+</g, '><')
  .trim()

/** Logo on a square tile, as its own file; viewers round the corners themselves. */
export const markSvg = (tile: string, ink: string, corner = 9) =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32" color="${ink}"><rect width="32" height="32" rx="${corner}" fill="${tile}"/>${logoDrawing}</svg>`
