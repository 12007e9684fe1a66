import { brand } from './brand.ts'

type Oklch = [lightness: number, chroma: number, hue: number]

const toLinear = (value: number) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)
const fromLinear = (value: number) => (value <= 0.0031308 ? value * 12.92 : 1.055 * value ** (1 / 2.4) - 0.055)

/** Red, green and blue of a color like #1a2b3c, from 0 to 1 in linear light. */
function linearRgbOf(hex: string) {
  const read = (start: number) => toLinear(Number.parseInt(hex.slice(start, start + 2), 16) / 255)
  return { red: read(1), green: read(3), blue: read(5) }
}

/** CSS Color 4, "Sample code for color conversions": sRGB to OKLCH. */
function oklchOf(hex: string): Oklch {
  const { red, green, blue } = linearRgbOf(hex)
  const l = Math.cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue)
  const m = Math.cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue)
  const s = Math.cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue)
  const a = 1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s
  const b = 0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s
  return [0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s, Math.hypot(a, b), Math.atan2(b, a)]
}

function hexOf([lightness, chroma, hue]: Oklch): string {
  const [a, b] = [chroma * Math.cos(hue), chroma * Math.sin(hue)]
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3
  const rgb = [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ]
  const bytes = rgb.map((value) => Math.round(Math.min(1, Math.max(0, fromLinear(value))) * 255))
  return `#${bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('')}`
}

function luminanceOf(hex: string): number {
  const { red, green, blue } = linearRgbOf(hex)
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** Highest luminance on which white text has a contrast of 4.5, as WCAG AA requires. */
const maxLuminanceUnderWhite = 1.05 / 4.5 - 0.05

/** Shades of a brand color with readable text: white on `light`, `onDark` on `dark`. The factors were chosen by eye. */
export function shadesOf(color: string) {
  const [lightness, chroma, hue] = oklchOf(color)
  let lightnessUnderWhite = Math.min(lightness, 0.52)
  while (luminanceOf(hexOf([lightnessUnderWhite, chroma, hue])) > maxLuminanceUnderWhite) lightnessUnderWhite -= 0.005
  return {
    light: hexOf([lightnessUnderWhite, chroma, hue]),
    lightStrong: hexOf([lightnessUnderWhite * 0.865, chroma * 0.9, hue]),
    lightSoft: hexOf([0.955, chroma * 0.3, hue]),
    dark: hexOf([0.82, Math.min(chroma * 1.32, 0.16), hue]),
    darkStrong: hexOf([0.88, Math.min(chroma * 1.2, 0.14), hue]),
    darkSoft: hexOf([0.275, chroma * 0.43, hue]),
    onDark: hexOf([0.19, chroma * 0.3, hue]),
  }
}

export const brandShades = shadesOf(brand.color)
