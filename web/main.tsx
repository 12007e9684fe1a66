import { startTransition } from 'react'
import { hydrateRoot } from 'react-dom/client'
import { readPageData } from './api/query-client.ts'
import { readSettings } from './api/settings.tsx'
import { App } from './app.tsx'
import { loadPage, routeFor } from './router.tsx'
import './styles.css'

async function start(root: HTMLElement) {
  // The answer to a form posted before this script was there came under the call's address, with what was typed.
  if (root.dataset.page) {
    history.replaceState(null, '', root.dataset.page)
    // Set once, a field's value survives hydration.
    for (const field of root.querySelectorAll<HTMLInputElement>('input,textarea')) if (field.value) field.value += ''
  }
  // Load the page's code before hydrating, so a spinner never replaces the prerendered page.
  const settings = readSettings()
  await loadPage(routeFor(location.pathname, settings.products))
  // As a transition React hydrates in slices of 5 ms, so a tap on a slow phone never waits for all of it.
  startTransition(() => {
    hydrateRoot(root, <App settings={settings} pathname={location.pathname} data={readPageData()} />)
  })
}

const root = document.getElementById('root')
if (root) void start(root)
