const star = 'M12 2.6l2.9 5.9 6.5.9-4.7 4.6 1.1 6.5L12 17.4l-5.8 3.1 1.1-6.5L2.6 9.4l6.5-.9z'

/** Filled up to the value, which may lie between two stars. */
export function Stars({ value }: { value: number }) {
  return (
    <span role="img" aria-label={`${Math.round(value * 10) / 10} of 5 stars`} className="flex">
      {[1, 2, 3, 4, 5].map((each) => (
        <svg key={each} viewBox="0 0 24 24" className="size-5 fill-line">
          <path d={star} />
          {/* A picture within the picture cuts off what goes beyond it. */}
          <svg width={24 * Math.min(1, Math.max(0, value - each + 1))} height="24" className="fill-accent">
            <path d={star} />
          </svg>
        </svg>
      ))}
    </span>
  )
}
