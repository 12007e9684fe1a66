import { spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createServer } from 'vite'
import type { SiteSettings } from '#contract/site/site-settings.ts'
import freshBuild from './fresh-build.ts'

/** `npm run dev`: Vite renders the pages from source and passes calls to the server, which restarts when its files change. */

const root = fileURLToPath(new URL('..', import.meta.url))
const port = Number(process.env.PORT ?? 3000)
const serverUrl = `http://localhost:${port + 1}`

// The server needs a build to start and for the sandbox's scripts, although Vite renders the pages that people see.
freshBuild()
const entry = ['server/main.ts', '--pages-from-vite']
const server = spawn(process.execPath, ['--watch', '--watch-preserve-output', ...entry], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, PORT: String(port + 1), PUBLIC_URL: process.env.PUBLIC_URL ?? `http://localhost:${port}` },
})

server.once('exit', (code) => process.exit(code ?? 0))
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => server.kill('SIGTERM'))

type DevRenderer = { renderDevPage(path: string, settings: SiteSettings): Promise<string> }

const vite = await createServer({
  root,
  appType: 'custom',
  server: {
    port,
    strictPort: true,
    // The running shop writes to `data/` all the time.
    watch: { ignored: [`${root}data/**`] },
    proxy: {
      '^/(api|_sandbox|dev|metrics|healthz|readyz|og|favicon|icon-|apple-touch-icon|site.webmanifest)': serverUrl,
    },
  },
  plugins: [
    {
      name: 'pages',
      configureServer({ middlewares }) {
        // Vite calls the returned function after it has added its own middlewares, which come first.
        return () => {
          middlewares.use((request, response, next) => {
            render(request.originalUrl ?? '/').then(
              (html) => response.setHeader('content-type', 'text/html; charset=utf-8').end(html),
              next,
            )
          })
        }
      },
    },
  ],
})

async function render(url: string) {
  const { renderDevPage } = (await vite.ssrLoadModule('/web/prerender.tsx')) as DevRenderer
  const html = await renderDevPage(new URL(url, serverUrl).pathname, await readServerSettings())
  return vite.transformIndexHtml(url, html)
}

/** Reads the settings that the server embeds in every page. Waits until the server answers. */
async function readServerSettings(): Promise<SiteSettings> {
  for (;;) {
    const page = await fetch(serverUrl).then(
      (response) => response.text(),
      () => '',
    )
    const [, json] = /<script id="settings"[^>]*>(.*?)<\/script>/.exec(page) ?? []
    if (json) return JSON.parse(json)
    await sleep(200)
  }
}

await vite.listen()
console.log(`\nThe shop is running with live reload on http://localhost:${port}\n`)
