const styles = `
  dialog { border: 1px solid; font: 1rem / 1.5 system-ui, sans-serif; max-width: min(420px, calc(100vw - 32px)); }
  dialog::backdrop { background: rgb(0 0 0 / 0.6); }
  button { display: block; font: inherit; margin-top: 10px; min-height: 44px; width: 100%; }
`

export type Outcome = 'complete' | 'fail'

function make(tag: string, text: string, attributes: Record<string, string> = {}) {
  const made = document.createElement(tag)
  made.textContent = text
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value)
  return made
}

/** The bank's page, as played by the sandbox. Closing it without an answer counts as failing. */
export function askBuyer(night: boolean): Promise<Outcome> {
  const host = document.createElement('div')
  const root = host.attachShadow({ mode: 'open' })
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(styles)
  root.adoptedStyleSheets = [sheet]
  host.style.colorScheme = night ? 'dark' : 'light'

  const dialog = document.createElement('dialog')
  dialog.setAttribute('aria-labelledby', 'title')
  dialog.setAttribute('aria-describedby', 'text')
  const complete = make('button', 'Complete authentication', { type: 'button' })
  const fail = make('button', 'Fail authentication', { type: 'button' })
  dialog.append(
    make('small', 'TEST MODE · 3-D Secure 2'),
    make('h2', 'Authenticate your payment', { id: 'title' }),
    make('p', 'This is where your bank would ask you to approve the payment. Choose the outcome.', {
      id: 'text',
    }),
    complete,
    fail,
  )
  root.append(dialog)
  document.body.append(host)
  dialog.showModal()

  return new Promise((resolve) => {
    let outcome: Outcome = 'fail'
    const choose = (chosen: Outcome) => () => {
      outcome = chosen
      dialog.close()
    }
    complete.addEventListener('click', choose('complete'))
    fail.addEventListener('click', choose('fail'))
    dialog.addEventListener('close', () => {
      host.remove()
      resolve(outcome)
    })
  })
}
