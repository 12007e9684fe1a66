import { type ComponentProps, type ReactNode, useId } from 'react'
import { classes } from '#web/ui/classes.ts'

type Props = Omit<ComponentProps<'section'>, 'title'> & { title: string; hint?: ReactNode; beside?: ReactNode }

export function Section({ title, hint, beside, className, children, ...rest }: Props) {
  const id = useId()
  return (
    <section aria-labelledby={id} className={classes('flex flex-col gap-4', className)} {...rest}>
      <header className="flex flex-wrap items-center gap-3">
        <div className="mr-auto">
          <h2 id={id} className="text-lg">
            {title}
          </h2>
          {hint && <p className="max-w-prose text-sm text-muted">{hint}</p>}
        </div>
        {beside}
      </header>
      {children}
    </section>
  )
}
