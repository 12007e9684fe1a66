const names = ['surface', 'line', 'field', 'ink', 'muted', 'accent', 'danger'] as const

/** The theme's colors as other people's code understands them: it doesn't know oklch, so one pixel is drawn and read back. */
export function themeColors() {
  const context = document.createElement('canvas').getContext('2d', { willReadFrequently: true })
  const probe = document.body.appendChild(document.createElement('i'))
  const colors = names.map((name) => {
    probe.style.color = `var(--color-${name})`
    const { color } = getComputedStyle(probe)
    if (!context) return [name, color]
    context.fillStyle = color
    context.fillRect(0, 0, 1, 1)
    const [red, green, blue] = context.getImageData(0, 0, 1, 1).data
    return [name, `rgb(${red}, ${green}, ${blue})`]
  })
  probe.remove()
  return Object.fromEntries(colors) as Record<(typeof names)[number], string>
}
