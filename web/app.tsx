import { QueryClientProvider } from '@tanstack/react-query'
import { Suspense, useState } from 'react'
import { usePathname } from 'wouter/use-browser-location'
import type { SiteSettings } from '#contract/site.ts'
import { createQueryClient } from './api/query-client.ts'
import { CookieBanner } from './layout/cookie-banner.tsx'
import { ErrorBoundary } from './layout/error-boundary.tsx'
import { Footer } from './layout/footer.tsx'
import { Guard } from './layout/guard.tsx'
import { Header } from './layout/header.tsx'
import { PageChange } from './layout/page-change.tsx'
import { TestRibbon } from './layout/test-ribbon.tsx'
import { Page, routeFor } from './router.tsx'
import { SettingsProvider } from './settings.tsx'
import { ConfirmHost } from './ui/confirm.tsx'
import { Loading } from './ui/spinner.tsx'
import { ToastHost } from './ui/toast.tsx'

export function App({ settings, path }: { settings: SiteSettings; path?: string }) {
  const [queryClient] = useState(createQueryClient)
  const pathname = usePathname(path === undefined ? {} : { ssrPath: path })
  const route = routeFor(pathname)
  return (
    <SettingsProvider value={settings}>
      <QueryClientProvider client={queryClient}>
        <a
          href="#main"
          className="fixed top-2 left-2 z-50 -translate-y-20 rounded-md bg-accent px-4 py-2 font-medium text-on-accent focus:translate-y-0"
        >
          Skip to content
        </a>
        {settings.testMode && <TestRibbon />}
        <Header pathname={pathname} />
        <main id="main" tabIndex={-1} className="min-h-[70vh]">
          <ErrorBoundary key={route.path}>
            <Suspense fallback={<Loading />}>
              <Guard route={route}>
                <Page route={route} />
              </Guard>
            </Suspense>
          </ErrorBoundary>
        </main>
        <Footer />
        <PageChange route={route} />
        <CookieBanner sensitive={route.secret === true} />
        <ToastHost />
        <ConfirmHost />
      </QueryClientProvider>
    </SettingsProvider>
  )
}
