/** Leads on; it moves a little when the link around it (`group`) is hovered. */
export function Arrow() {
  return (
    <svg
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="2"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      className="size-4.5 transition-transform duration-300 group-hover:translate-x-1"
    >
      <path d="M5 12h14m-7-7 7 7-7 7" />
    </svg>
  )
}
