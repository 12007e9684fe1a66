import { Component, type ReactNode } from 'react'
import { Button } from '#web/ui/button.tsx'

/** Catches pages that fail, most often because their code couldn't be loaded. */
export class ErrorBoundary extends Component<{ children: ReactNode }, { failed: boolean }> {
  override state = { failed: false }

  static getDerivedStateFromError() {
    return { failed: true }
  }

  override render() {
    if (!this.state.failed) return this.props.children
    return (
      <div role="alert" className="mx-auto flex max-w-xl flex-col items-start gap-4 px-5 py-24 sm:px-8">
        <h1 className="text-3xl">Something went wrong</h1>
        <p className="text-muted">We couldn’t show this page. Reloading usually helps.</p>
        <Button onClick={() => location.reload()}>Reload the page</Button>
      </div>
    )
  }
}
