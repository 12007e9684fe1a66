import { Mail } from 'lucide-react'
import source from '#content/about.md?raw'
import { sectionAt, splitHeading, useContent } from '#web/api/page-texts.ts'
import { useSettings } from '#web/api/settings.tsx'
import { AnswerTime } from '#web/features/site/showcase/figures-line.tsx'
import { Principles } from '#web/features/site/showcase/principles.tsx'
import { Container, Eyebrow, Ruled, Tick } from '#web/ui/page.tsx'
import { Section } from '#web/ui/section.tsx'
import { ContactForm } from './contact-form.tsx'
import { Maker } from './maker.tsx'

export default function AboutPage() {
  const page = useContent(source)
  const { eyebrow, title, lead } = sectionAt(page, 0)
  return (
    <Ruled>
      <Mission {...splitHeading(page.title)} paragraphs={page.lead.split('\n\n')} />
      <Maker isLarge />
      <Section tick="0" eyebrow={eyebrow} title={title} lead={lead}>
        <Principles />
      </Section>
      <Contact />
    </Ruled>
  )
}

function Mission({ eyebrow, title, paragraphs }: { eyebrow: string; title: string; paragraphs: string[] }) {
  return (
    <div className="relative">
      <Tick label="+2σ" isFirst />
      <Container className="grid gap-x-16 gap-y-10 py-14 sm:py-20 lg:grid-cols-[1.3fr_1fr] lg:items-end">
        <div className="flex flex-col gap-6">
          <Eyebrow>{eyebrow}</Eyebrow>
          <h1 className="text-4xl">{title}</h1>
        </div>
        <div className="flex flex-col gap-5 text-lg text-muted first:*:text-ink">
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
    <section id="contact" className="relative border-t border-line pt-14 sm:pt-20">
      <Tick label="−2σ" />
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
            className="mt-2 inline-flex items-center gap-2.5 font-medium underline decoration-line underline-offset-4 hover:decoration-accent"
          >
            <Mail aria-hidden="true" className="size-5" />
            {supportEmail}
          </a>
          <AnswerTime />
        </div>
        <ContactForm />
      </Container>
    </section>
  )
}
