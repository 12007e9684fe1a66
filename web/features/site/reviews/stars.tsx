const starPath = 'l2.9 5.9 6.5.9-4.7 4.6 1.1 6.5-5.8-3.1-5.8 3.1 1.1-6.5-4.7-4.6 6.5-.9z'
const fiveStarsPath = [12, 36, 60, 84, 108].map((x) => `M${x} 2.6${starPath}`).join('')

/** Draws all five stars in one picture, because `value` may be a fraction. */
export function Stars({ value }: { value: number }) {
  const label = `${Math.round(value * 10) / 10} of 5 stars`
  return (
    <svg role="img" aria-label={label} viewBox="0 0 120 24" className="h-4 w-20 fill-line">
      <path d={fiveStarsPath} />
      {/* The inner svg clips the filled stars. */}
      <svg width={24 * value} height="24" className="fill-ink">
        <path d={fiveStarsPath} />
      </svg>
    </svg>
  )
}
