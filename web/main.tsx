import { hydrateRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { loadPage, routeFor } from './router.tsx'
import { readSettings } from './settings.tsx'
import { watchLinks } from './ui/navigate.ts'
import './styles.css'

async function start(root: Element) {
  // The page's code is there before hydration, so that the prerendered page is never replaced by a spinner.
  const route = routeFor(location.pathname)
  if (!route.plain) await loadPage(route)
  watchLinks()
  hydrateRoot(root, <App settings={readSettings()} />)
}

const root = document.getElementById('root')
if (root) void start(root)
