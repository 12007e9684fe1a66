import { Mail } from 'lucide-react'
import { useSettings } from '#web/api/settings.tsx'
import { Principles } from '#web/features/site/showcase/principles.tsx'
import { Container, Eyebrow } from '#web/ui/page.tsx'
import { Section } from '#web/ui/section.tsx'
import { ContactForm } from './contact-form.tsx'
import { Maker } from './maker.tsx'

export default function AboutPage() {
  return (
    <>
      <Mission />
      <Maker />
      <Section
        eyebrow="Principles"
        title="Three principles"
        lead="We measure every rule we publish against them, and every idea we drop."
      >
        <Principles />
      </Section>
      <Contact />
    </>
  )
}

function Mission() {
  return (
    <div className="hero border-b border-line">
      <Container className="grid gap-x-16 gap-y-10 py-16 sm:py-24 lg:grid-cols-[1.1fr_1fr]">
        <div className="flex flex-col gap-6">
          <Eyebrow>Our mission</Eyebrow>
          <h1 className="text-4xl">Fewer decisions, made better.</h1>
        </div>
        <div className="flex flex-col gap-5 text-lg text-muted lg:pt-11">
          <p className="text-ink">
            We build professional indicators for rule-based entries and exits, for traders who want to act on evidence,
            not noise.
          </p>
          <p>
            Most trading tools add something to look at: one more line, one more alert, one more opinion. We take things
            away. A good indicator says clearly when its conditions hold, stays silent when they don’t, and can be
            tested by anyone who relies on it.
          </p>
          <p>
            That’s why each of our indicators comes with a strategy version for your own backtests, why its list of
            symbols is reviewed at least once a month, and why the person who answers your questions is the person who
            wrote the rules.
          </p>
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
