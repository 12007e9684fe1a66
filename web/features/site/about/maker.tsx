import { useSettings } from '#web/api/settings.tsx'
import { Container, Eyebrow } from '#web/ui/page.tsx'

export function Maker() {
  const { maker } = useSettings()
  if (!maker) return null
  return (
    <section aria-labelledby="maker" className="border-b border-line py-12 sm:py-16">
      <Container className="flex flex-wrap items-center gap-x-8 gap-y-5">
        {maker.photo && (
          <img
            src={maker.photo}
            alt=""
            width="112"
            height="112"
            loading="lazy"
            className="size-24 rounded-full border border-line object-cover sm:size-28"
          />
        )}
        <div className="flex max-w-2xl flex-1 basis-64 flex-col gap-2">
          <Eyebrow>Who makes it</Eyebrow>
          <h2 id="maker" className="text-2xl">
            {maker.name}
          </h2>
          {maker.sentence && <p className="text-lg text-muted">{maker.sentence}</p>}
        </div>
      </Container>
    </section>
  )
}
