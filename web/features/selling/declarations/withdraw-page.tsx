import { declarations } from '#contract/selling/declarations.ts'
import { buttons } from '#contract/selling/legal/consumer-law.ts'
import { DeclarationPage } from './declaration-page.tsx'

export default function WithdrawPage() {
  return (
    <DeclarationPage
      endpoint={declarations.withdraw}
      noun="withdrawal"
      title="Withdraw from contract"
      lead="Within 14 days of your order you can withdraw from the contract. You need no reason and no login, and you get all your money back."
      button={buttons.confirmWithdrawal}
      contentOf={() => [['Declaration', 'Withdrawal from the contract']]}
      before={<p>I withdraw from my contract for Rebound Sigma Pro.</p>}
    />
  )
}
