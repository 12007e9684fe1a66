const styles = `
  dialog {
    background: var(--surface);
    border: 0;
    border-radius: 12px;
    box-shadow: 0 15px 35px rgb(0 0 0 / 0.3);
    color: var(--text);
    font: 16px/1.5 -apple-system, BlinkMacSystemFont, "Segoe UI", Roboto, Arial, sans-serif;
    max-width: min(420px, calc(100vw - 32px));
    padding: 28px;
  }
  dialog::backdrop { background: rgb(0 0 0 / 0.6); }
  h2 { font-size: 20px; line-height: 1.3; margin: 0 0 8px; }
  p { color: var(--quiet); margin: 0 0 20px; }
  small { color: var(--quiet); display: block; font-size: 13px; letter-spacing: 0.02em; margin-bottom: 16px; }
  button {
    border: 1px solid transparent;
    border-radius: 6px;
    cursor: pointer;
    display: block;
    font: inherit;
    font-weight: 600;
    margin-top: 10px;
    min-height: 44px;
    padding: 8px 16px;
    width: 100%;
  }
  button:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
  .complete { background: var(--accent); color: var(--on-accent); }
  .fail { background: transparent; border-color: var(--quiet); color: var(--text); }
`
const light = {
  surface: '#ffffff',
  text: '#30313d',
  quiet: '#5b5c66',
  accent: '#0055bc',
  'on-accent': '#ffffff',
}
const dark = {
  surface: '#30313d',
  text: '#ffffff',
  quiet: '#c4c5ce',
  accent: '#7ec8ff',
  'on-accent': '#15161c',
}

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
  for (const [name, value] of Object.entries(night ? dark : light)) host.style.setProperty(`--${name}`, value)

  const dialog = document.createElement('dialog')
  dialog.setAttribute('aria-labelledby', 'title')
  dialog.setAttribute('aria-describedby', 'text')
  const complete = make('button', 'Complete authentication', { class: 'complete', type: 'button' })
  const fail = make('button', 'Fail authentication', { class: 'fail', type: 'button' })
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
