import type { ReactNode } from 'react'
import { Card } from '#web/ui/card.tsx'
import { Container } from '#web/ui/page.tsx'

/** The centered card shared by the login and password pages. */
export function AuthCard(props: { title: string; description: ReactNode; children: ReactNode }) {
  return (
    <div className="hero">
      <Container className="flex min-h-[70vh] flex-col items-center justify-center gap-7 py-14 sm:py-20">
        <header className="flex max-w-md flex-col gap-2 text-center">
          <h1 className="text-3xl">{props.title}</h1>
          <p className="text-lg text-muted">{props.description}</p>
        </header>
        <Card className="flex w-full max-w-md flex-col gap-6 sm:p-8">{props.children}</Card>
      </Container>
    </div>
  )
}

export const textLink = 'rounded-sm font-medium text-accent underline-offset-4 hover:underline'
