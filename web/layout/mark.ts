import logo from '#content/logo.svg?raw'

/** Drawing in `content/logo.svg`, without the outer element. */
export const logoDrawing = logo
  .replace(/^[^]*?<svg[^>]*>|<\/svg>\s*$/g, '')
  .replaceAll(/>\s+</g, '><')
  .trim()

/** Logo on a colored tile, as an SVG file. `cornerRadius` is 0 where the viewer rounds the corners itself. */
export const markSvg = (tileColor: string, inkColor: string, cornerRadius = 9) =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32" color="${inkColor}"><rect width="32" height="32" rx="${cornerRadius}" fill="${tileColor}"/>${logoDrawing}</svg>`
