/** One click is enough: while the sandbox works, its buttons are disabled and say so. */
const buttons = () => document.querySelectorAll<HTMLButtonElement>('form[method=post] button')

document.addEventListener('submit', (event) => {
  const pressed = event.submitter
  if (pressed instanceof HTMLButtonElement && pressed.form?.method === 'post') {
    pressed.textContent = 'Working…'
    for (const button of buttons()) button.disabled = true
  }
})

/** Restored from the browser's cache, the page would still look busy. */
window.addEventListener('pageshow', (event) => {
  if (event.persisted) location.reload()
})
