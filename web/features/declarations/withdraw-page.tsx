import { declarations } from '#contract/declarations.ts'
import { labels } from '#contract/legal/consumer-law.ts'
import * as z from '#contract/zod.ts'
import { useCall } from '#web/api/use-call.ts'
import { Form, SubmitButton } from '#web/ui/form.tsx'
import { BothLanguages, DeclarationPage, type FormProps, WhoAndWhat } from './declaration-form.tsx'

const schema = declarations.withdraw.input(z)

export default function WithdrawPage() {
  return (
    <DeclarationPage
      title="Withdraw from contract"
      lead="Within 14 days of your order you can withdraw from the contract. You need no reason and no login, and you get all your money back."
      done="We’ve received your withdrawal"
      form={WithdrawalForm}
    />
  )
}

function WithdrawalForm(props: FormProps) {
  const withdraw = useCall(declarations.withdraw, { failed: 'Failed to send your withdrawal' })
  return (
    <Form
      schema={schema}
      aria-label="Withdrawal"
      className="flex flex-col gap-6"
      onSubmit={async (declared) => {
        const { declaredAt } = await withdraw.mutateAsync(declared)
        props.onSent({
          declaredAt,
          content: [
            ['Declaration', 'Withdrawal from the contract'],
            ['Name', declared.name],
            ['Contract', declared.contract],
            ['Email for the receipt', declared.email],
          ],
        })
      }}
    >
      <p>I withdraw from my contract for Rebound Sigma Pro.</p>
      <WhoAndWhat user={props.user} />
      <SubmitButton size="lg" pendingText="Sending..." className="max-sm:w-full">
        <BothLanguages label={labels.confirmWithdrawal} />
      </SubmitButton>
    </Form>
  )
}
