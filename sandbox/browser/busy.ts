/** One press is enough: while the sandbox works, its buttons rest and say so. */
const buttons = () => document.querySelectorAll<HTMLButtonElement>('form[method=post] button')

document.addEventListener('submit', (event) => {
  const pressed = event.submitter
  if (pressed instanceof HTMLButtonElement && pressed.form?.method === 'post') {
    pressed.textContent = 'Working…'
    for (const button of buttons()) button.disabled = true
  }
})

/** Back from the browser's cache, the page would still be at rest. */
window.addEventListener('pageshow', (event) => {
  if (event.persisted) location.reload()
})
