import { ImprintWarning } from './imprint-warning.tsx'
import { PaymentsCard } from './payments-card.tsx'

export default function Settings() {
  return (
    <div className="flex flex-col gap-6">
      <ImprintWarning />
      <PaymentsCard />
    </div>
  )
}
