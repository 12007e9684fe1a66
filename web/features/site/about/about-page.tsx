import { Mail } from 'lucide-react'
import source from '#content/about.md?raw'
import { sectionAt, splitHeading, useContent } from '#web/api/page-texts.ts'
import { useSettings } from '#web/api/settings.tsx'
import { Principles } from '#web/features/site/showcase/principles.tsx'
import { Container, Eyebrow } from '#web/ui/page.tsx'
import { Section } from '#web/ui/section.tsx'
import { ContactForm } from './contact-form.tsx'
import { Maker } from './maker.tsx'

export default function AboutPage() {
  const page = useContent(source)
  const { eyebrow, title, lead } = sectionAt(page, 0)
  return (
    <>
      <Mission {...splitHeading(page.title)} paragraphs={page.lead.split('\n\n')} />
      <Maker />
      <Section eyebrow={eyebrow} title={title} lead={lead}>
        <Principles />
      </Section>
      <Contact />
    </>
  )
}

function Mission({ eyebrow, title, paragraphs }: { eyebrow: string; title: string; paragraphs: string[] }) {
  return (
    <div className="hero border-b border-line">
      <Container className="grid gap-x-16 gap-y-10 py-16 sm:py-24 lg:grid-cols-[1.1fr_1fr]">
        <div className="flex flex-col gap-6">
          <Eyebrow>{eyebrow}</Eyebrow>
          <h1 className="text-4xl">{title}</h1>
        </div>
        <div className="flex flex-col gap-5 text-lg text-muted first:*:text-ink lg:pt-11">
          {paragraphs.map((text) => (
            <p key={text}>{text}</p>
          ))}
        </div>
      </Container>
    </div>
  )
}

function Contact() {
  const { supportEmail } = useSettings()
  return (
    <section id="contact" className="border-t border-line pt-16 sm:pt-24">
      <Container className="grid gap-x-16 gap-y-10 lg:grid-cols-[1fr_1.2fr]">
        <div className="flex flex-col items-start gap-4">
          <Eyebrow>Contact</Eyebrow>
          <h2 className="text-3xl">Write to us</h2>
          <p className="text-lg text-muted">
            Ask about the product or your subscription, or share an idea. A real person reads every message and replies
            by email.
          </p>
          <a
            href={`mailto:${supportEmail}`}
            className="mt-2 inline-flex items-center gap-2.5 font-medium text-accent underline-offset-4 hover:underline"
          >
            <Mail aria-hidden="true" className="size-5" />
            {supportEmail}
          </a>
        </div>
        <ContactForm />
      </Container>
    </section>
  )
}
