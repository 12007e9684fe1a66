import { type LegalText, link, type Party, sentence } from './text.ts'

/** Annex I(A) of Directive 2011/83/EU, as amended by 2019/2161 and 2023/2673: only the exact words count by law as correct. */
export function withdrawalInstruction({ name, address, phone, email, publicUrl }: Party): LegalText[] {
  const contactDetails = [name, ...address, phone, email].filter(Boolean).join(', ')
  return [
    {
      id: 'withdrawal',
      title: 'Right of withdrawal',
      blocks: [
        'You have the right to withdraw from this contract within 14 days without giving any reason.',
        'The withdrawal period will expire after 14 days from the day of the conclusion of the contract.',
        sentence`To exercise the right of withdrawal, you must inform us (${contactDetails}) of your decision to withdraw from this contract by an unequivocal statement (e.g. a letter sent by post or email). You may use the attached model withdrawal form, but it is not obligatory. You can also exercise your right of withdrawal online at ${link(`${publicUrl}/withdraw`, '/withdraw')} (“Withdraw from contract here” at the bottom of every page). If you use this online feature, we will send you an acknowledgement of receipt of the withdrawal on a durable medium (e.g. by email), including its content and the date and time of its submission, without undue delay.`,
        'To meet the withdrawal deadline, it is sufficient for you to send your communication concerning your exercise of the right of withdrawal before the withdrawal period has expired.',
      ],
    },
    {
      id: 'withdrawal-effects',
      title: 'Effects of withdrawal',
      blocks: [
        'If you withdraw from this contract, we shall reimburse to you all payments received from you, including the costs of delivery (with the exception of the supplementary costs resulting from your choice of a type of delivery other than the least expensive type of standard delivery offered by us), without undue delay and in any event not later than 14 days from the day on which we are informed about your decision to withdraw from this contract. We will carry out such reimbursement using the same means of payment as you used for the initial transaction, unless you have expressly agreed otherwise; in any event, you will not incur any fees as a result of such reimbursement.',
      ],
    },
  ]
}

/** Annex I(B) of the same directive. */
export function modelForm({ name, address, email }: Party): LegalText {
  return {
    id: 'model-form',
    title: 'Model withdrawal form',
    blocks: [
      '(complete and return this form only if you wish to withdraw from the contract)',
      {
        list: [
          `To ${[name, ...address, email].filter(Boolean).join(', ')}:`,
          'I/We (*) hereby give notice that I/We (*) withdraw from my/our (*) contract of sale of the following goods (*)/for the provision of the following service (*),',
          'Ordered on (*)/received on (*),',
          'Name of consumer(s),',
          'Address of consumer(s),',
          'Signature of consumer(s) (only if this form is notified on paper),',
          'Date',
        ],
      },
      '(*) Delete as appropriate.',
    ],
  }
}
