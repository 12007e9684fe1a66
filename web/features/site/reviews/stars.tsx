import { classes } from '#web/ui/classes.ts'

const star = 'M12 2.6l2.9 5.9 6.5.9-4.7 4.6 1.1 6.5L12 17.4l-5.8 3.1 1.1-6.5L2.6 9.4l6.5-.9z'

/** Filled up to the value, which may lie between two stars. */
export function Stars({ value, className }: { value: number; className?: string }) {
  return (
    <span
      role="img"
      aria-label={`${Math.round(value * 10) / 10} of 5 stars`}
      className={classes('flex', className)}
    >
      {[1, 2, 3, 4, 5].map((each) => (
        <svg
          key={each}
          viewBox="0 0 24 24"
          className={classes('size-5', value >= each - 0.25 ? 'fill-accent' : 'fill-line')}
        >
          <path d={star} />
        </svg>
      ))}
    </span>
  )
}
