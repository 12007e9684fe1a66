/** The cards we take, before anyone is asked for one. */
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
            fill="#fff"
            transform="translate(.5 1.6) scale(.84)"
            d="M4.2 13.2 6.9 6.8h2.2l2.7 6.4H9.9l-.5-1.2H6.6l-.5 1.2zm3.8-5-.8 2.2h1.7zm4.3 5V6.8h2.3l1.5 3.5 1.5-3.5h2.3v6.4h-1.5V8.6l-2 4.6h-.7l-2-4.6v4.6zm8.6 0V6.8h5.1v1.4h-3.5v1.1h3.4v1.3h-3.4v1.2h3.5v1.4zm5.8 0 2-3.2-2-3.2h1.9l1.1 1.9 1.1-1.9h1.9l-2 3.2 2 3.2h-1.9l-1.1-1.9-1.1 1.9z"
          />
        </svg>
      </li>
    </ul>
  )
}
