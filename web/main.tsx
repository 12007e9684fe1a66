import { hydrateRoot } from 'react-dom/client'
import { readSettings } from './api/settings.tsx'
import { App } from './app.tsx'
import { loadPage, routeFor } from './router.tsx'
import './styles.css'

async function start(root: Element) {
  // The page's code is there before hydration, so that the prerendered page is never replaced by a spinner.
  await loadPage(routeFor(location.pathname))
  hydrateRoot(root, <App settings={readSettings()} pathname={location.pathname} />)
}

const root = document.getElementById('root')
if (root) void start(root)
