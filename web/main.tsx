import { startTransition } from 'react'
import { hydrateRoot } from 'react-dom/client'
import type { FormAnswer } from '#contract/site/site-settings.ts'
import { readPageData } from './api/query-client.ts'
import { readSettings } from './api/settings.tsx'
import { App } from './app.tsx'
import { loadPage, routeFor } from './router.tsx'
import './styles.css'

async function start(root: HTMLElement) {
  // A form posted before this script loaded left the call's address in the address bar; restore the page's.
  const formAnswer = readFormAnswer()
  if (formAnswer) history.replaceState(null, '', formAnswer.address)
  // Load the page's code before hydrating, so a spinner never replaces the prerendered page.
  const settings = readSettings()
  // The admin screens are not loaded yet, so the server marks unknown addresses below /admin.
  const pathname = root.hasAttribute('data-not-found') ? '*' : location.pathname
  await loadPage(routeFor(pathname, settings.products))
  // A transition hydrates in slices of 5 ms, so a tap on a slow phone never waits for all of it.
  startTransition(() => {
    hydrateRoot(
      root,
      <App settings={settings} pathname={pathname} data={readPageData()} refusedForm={formAnswer?.refused ?? null} />,
    )
  })
}

const readFormAnswer = (): FormAnswer | null => JSON.parse(document.getElementById('answer')?.textContent ?? 'null')

const root = document.getElementById('root')
if (root) void start(root)
