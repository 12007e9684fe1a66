const names = ['surface', 'line', 'field', 'ink', 'muted', 'accent', 'danger'] as const

/** The theme's colors as other people's code understands them: it doesn't know oklch, so one pixel is drawn and read back. */
export function themeColors() {
  const context = document.createElement('canvas').getContext('2d', { willReadFrequently: true })
  const colors = names.map((name) => {
    // A new one each time: a color that changes is in transition, and read as the one before.
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
