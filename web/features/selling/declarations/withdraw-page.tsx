import { declarations } from '#contract/selling/declarations.ts'
import { buttons } from '#contract/selling/legal/consumer-law.ts'
import { useSettings } from '#web/api/settings.tsx'
import { DeclarationPage } from './declaration-page.tsx'

export default function WithdrawPage() {
  const sold = useSettings().products.filter(({ state }) => state === 'on sale')
  return (
    <DeclarationPage
      endpoint={declarations.withdraw}
      noun="withdrawal"
      title="Withdraw from contract"
      lead="Within 14 days of your order you can withdraw from the contract. You need no reason and no login, and you get all your money back."
      button={buttons.confirmWithdrawal}
      contentOf={() => [['Declaration', 'Withdrawal from the contract']]}
      before={<p>I withdraw from my contract for {either(sold)}.</p>}
    />
  )
}

/** The contract's number below says which one. */
const either = (sold: { name: string }[]) => sold.map(({ name }) => name).join(' or ')
