import { hydrateRoot } from 'react-dom/client'
import { readSettings } from './api/settings.tsx'
import { App } from './app.tsx'
import { loadPage, routeFor } from './router.tsx'
import './styles.css'

async function start(root: Element) {
  // Load the page's code before hydrating, so a spinner never replaces the prerendered page.
  await loadPage(routeFor(location.pathname))
  hydrateRoot(root, <App settings={readSettings()} pathname={location.pathname} />)
}

const root = document.getElementById('root')
if (root) void start(root)
