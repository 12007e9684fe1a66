export function CardBrands() {
  const box = 'h-6 w-auto rounded-[3px]'
  return (
    <ul aria-label="Cards we accept" className="flex gap-2">
      <li>
        <svg viewBox="0 0 32 20" role="img" aria-label="Visa" className={box}>
          <rect width="32" height="20" fill="#1434cb" />
          <path
            fill="#fff"
            d="M13.6 13.3h-1.8l1.1-6.8h1.8zM10.3 6.5 8.6 11.2l-.2-1-.6-3.1s-.1-.6-.9-.6H4.1v.1s.9.2 1.9.8l1.6 5.9h1.9l2.9-6.8zm14.4 6.8h1.6l-1.4-6.8h-1.5c-.7 0-.8.5-.8.5l-2.7 6.3h1.9l.4-1h2.3zm-2-2.5 1-2.6.5 2.6zM20 8.2l.3-1.5s-.8-.3-1.6-.3c-.9 0-3 .4-3 2.3 0 1.8 2.5 1.8 2.5 2.8s-2.3.8-3 .2l-.3 1.5s.8.4 2 .4 3.1-.6 3.1-2.4-2.6-1.9-2.6-2.7 1.8-.7 2.6-.3z"
          />
        </svg>
      </li>
      <li>
        <svg viewBox="0 0 32 20" role="img" aria-label="Mastercard" className={box}>
          <rect width="32" height="20" fill="#252525" />
          <circle cx="12.6" cy="10" r="5.6" fill="#eb001b" />
          <circle cx="19.4" cy="10" r="5.6" fill="#f79e1b" />
          <path fill="#ff5f00" d="M16 5.6a5.6 5.6 0 0 0 0 8.8 5.6 5.6 0 0 0 0-8.8z" />
        </svg>
      </li>
      <li>
        <svg viewBox="0 0 32 20" role="img" aria-label="American Express" className={box}>
          <rect width="32" height="20" fill="#016fd0" />
          <path
            fill="none"
            stroke="#fff"
            strokeWidth="1.5"
            d="m4 13.5 2.6-7 2.6 7M5 11.3h3.2m2.8 2.2v-7l2.8 4.2 2.8-4.2v7m6-6.3h-3.4v5.6h3.4M19.2 10h3m2.4-3.5 4.4 7m0-7-4.4 7"
          />
        </svg>
      </li>
    </ul>
  )
}
