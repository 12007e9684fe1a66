import { useSettings } from '#web/api/settings.tsx'
import { classes } from '#web/ui/classes.ts'
import { Container, Eyebrow } from '#web/ui/page.tsx'

/** The person behind the shop. `isLarge` is for the About page. */
export function Maker({ isLarge = false }: { isLarge?: boolean }) {
  const { maker } = useSettings()
  if (!maker) return null
  const photoPixels = isLarge ? 400 : 160
  const photoClasses = isLarge ? 'w-full max-w-100' : 'size-32 sm:size-40'
  return (
    <section aria-labelledby="maker" className="relative border-t border-line py-12 sm:py-16">
      <Container
        className={
          isLarge && maker.photo
            ? 'grid gap-x-16 gap-y-8 lg:grid-cols-[25rem_1fr] lg:items-center'
            : 'flex flex-wrap items-center gap-x-10 gap-y-6'
        }
      >
        {maker.photo && (
          <img
            src={maker.photo}
            alt=""
            width={photoPixels}
            height={photoPixels}
            loading="lazy"
            className={classes('aspect-square border border-line object-cover', photoClasses)}
          />
        )}
        <div className="flex max-w-2xl flex-1 basis-64 flex-col gap-3">
          <Eyebrow>Who makes it</Eyebrow>
          <h2 id="maker" className="text-3xl">
            {maker.name}
          </h2>
          {maker.sentence && <p className="text-lg text-muted">{maker.sentence}</p>}
          {isLarge && maker.more && <p className="text-muted">{maker.more}</p>}
          {maker.link && (
            <a
              href={maker.link}
              target="_blank"
              rel="noreferrer"
              className="self-start font-medium underline decoration-field underline-offset-4 hover:decoration-ink"
            >
              Profile on TradingView
            </a>
          )}
        </div>
      </Container>
    </section>
  )
}
