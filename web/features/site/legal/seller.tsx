import { brand } from '#contract/brand.ts'
import { useSettings } from '#web/api/settings.tsx'

/** The seller's name and address, from the settings. */
export function SellerAddress() {
  const { seller } = useSettings()
  const lines = [seller.name || brand.name, seller.street, seller.city, seller.country].filter(Boolean)
  return (
    <address className="not-italic">
      {lines.map((line) => (
        <span key={line} className="block">
          {line}
        </span>
      ))}
    </address>
  )
}

export function SupportEmail() {
  const { supportEmail } = useSettings()
  return <a href={`mailto:${supportEmail}`}>{supportEmail}</a>
}
