import { QueryClientProvider } from '@tanstack/react-query'
import { type ReactNode, Suspense, useEffect, useState } from 'react'
import type { FormAnswer, SiteSettings } from '#contract/site/site-settings.ts'
import { forgetReturnPath } from '#web/features/identity/sign-in/return-path.ts'
import { createQueryClient, type PageData } from './api/query-client.ts'
import { useFollowSession } from './api/session.ts'
import { SettingsProvider, useSettings } from './api/settings.tsx'
import { CookieBanner } from './layout/cookie-banner.tsx'
import { ErrorBoundary } from './layout/error-boundary.tsx'
import { Footer } from './layout/footer.tsx'
import { Header } from './layout/header.tsx'
import { PageChange } from './layout/page-change.tsx'
import { Private } from './layout/private.tsx'
import { loadPage, Page, type Route, routeFor } from './router.tsx'
import { ConfirmHost } from './ui/confirm.tsx'
import { RefusedFormContext } from './ui/form.tsx'
import { NavigationProvider, usePageLocation } from './ui/navigation.tsx'
import { Loading } from './ui/spinner.tsx'
import { ToastHost } from './ui/toast.tsx'

export function App(props: {
  settings: SiteSettings
  pathname: string
  data: PageData
  refusedForm: FormAnswer['refused']
}) {
  const { settings, pathname, data, refusedForm } = props
  const [queryClient] = useState(() => createQueryClient(data))
  return (
    <SettingsProvider value={settings}>
      <QueryClientProvider client={queryClient}>
        <NavigationProvider pathname={pathname} load={(path) => loadPage(routeFor(path, settings.products))}>
          <RefusedFormContext value={refusedForm}>
            <Site />
          </RefusedFormContext>
        </NavigationProvider>
      </QueryClientProvider>
    </SettingsProvider>
  )
}

function Site() {
  const { testMode, products } = useSettings()
  const pathname = usePageLocation((place) => place.pathname)
  const route = routeFor(pathname, products)
  useFollowSession()
  return (
    <>
      <a
        href="#main"
        className="fixed top-2 left-2 z-50 -translate-y-20 rounded-md bg-accent px-4 py-2 font-medium text-on-accent focus:translate-y-0"
      >
        Skip to content
      </a>
      {testMode && <TestRibbon />}
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
      <CookieBanner isSensitive={route.secret === true} />
      <ToastHost />
      <ConfirmHost />
    </>
  )
}

function Guard({ route, children }: { route: Route; children: ReactNode }) {
  const hasLeftLogin = route.access === 'public' && !route.page.startsWith('identity/sign-in/')
  // Opening another public page abandons the login, so forget which page asked for it.
  useEffect(() => {
    if (hasLeftLogin) forgetReturnPath()
  }, [hasLeftLogin])
  return route.access === 'public' ? children : <Private route={route}>{children}</Private>
}

function TestRibbon() {
  return (
    <aside aria-label="Test mode" className="bg-warning-soft px-5 py-2 text-center text-sm text-warning">
      <strong className="font-semibold">Test mode.</strong> No real payments are made.{' '}
      {useSettings().testMode === 'open' && (
        <a href="/_sandbox/" className="font-medium underline underline-offset-2">
          Open the payment sandbox
        </a>
      )}
    </aside>
  )
}
