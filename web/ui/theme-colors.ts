const names = ['surface', 'line', 'field', 'ink', 'muted', 'accent', 'danger'] as const

/** Theme colors as rgb, for libraries that can't parse oklch. Draws one pixel of each color and reads it back. */
export function themeColors() {
  const context = document.createElement('canvas').getContext('2d', { willReadFrequently: true })
  const colors = names.map((name) => {
    // A new element for each color, because an element in transition still reports the old one.
    const probe = document.createElement('i')
    probe.style.color = `var(--color-${name})`
    document.body.append(probe)
    const { color } = getComputedStyle(probe)
    probe.remove()
    if (!context) return [name, color]
    context.fillStyle = color
    context.fillRect(0, 0, 1, 1)
    const [red, green, blue] = context.getImageData(0, 0, 1, 1).data
    return [name, `rgb(${red}, ${green}, ${blue})`]
  })
  return Object.fromEntries(colors) as Record<(typeof names)[number], string>
}
