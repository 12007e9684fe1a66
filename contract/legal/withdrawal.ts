import type { LegalText, Party } from './text.ts'

/** The model instruction of Annex I(A) of Directive 2011/83/EU, for a digital service and with the online function. */
export function withdrawalInstruction({ name, address, phone, email, publicUrl }: Party): LegalText {
  const reach = [name, ...address, phone, email].filter(Boolean).join(', ')
  return {
    id: 'withdrawal',
    title: 'Right of withdrawal',
    blocks: [
      'You have the right to withdraw from this contract within 14 days without giving any reason. The withdrawal period will expire after 14 days from the day of the conclusion of the contract.',
      `To exercise the right of withdrawal, you must inform us (${reach}) of your decision to withdraw from this contract by an unequivocal statement (for example, a letter sent by post or email). You may use the model withdrawal form below, but it is not obligatory.`,
      `You can also withdraw online, without logging in, with “Withdraw from contract here” at the bottom of every page ([${publicUrl}/withdraw](/withdraw)). If you use this option, we will send you an acknowledgement of receipt by email without delay, with the content of your withdrawal and the date and time it arrived.`,
      'To meet the withdrawal deadline, it is sufficient for you to send your communication concerning your exercise of the right of withdrawal before the withdrawal period has expired.',
      'Effects of withdrawal: if you withdraw from this contract, we shall reimburse to you all payments received from you, without undue delay and in any event not later than 14 days from the day on which we are informed about your decision to withdraw from this contract. We will carry out such reimbursement using the same means of payment as you used for the initial transaction, unless you have expressly agreed otherwise; in any event, you will not incur any fees as a result of such reimbursement.',
      'If you asked us to start your access during the withdrawal period, we still refund everything: we keep nothing for the days you used it.',
    ],
  }
}

/** Annex I(B) of the same directive. */
export function modelForm({ name, address, email }: Party): LegalText {
  return {
    id: 'model-form',
    title: 'Model withdrawal form',
    blocks: [
      '(Complete and return this form only if you wish to withdraw from the contract.)',
      {
        list: [
          `To ${[name, ...address, email].filter(Boolean).join(', ')}:`,
          'I/We (*) hereby give notice that I/We (*) withdraw from my/our (*) contract for the provision of the following service (*):',
          'Ordered on (*)/received on (*):',
          'Name of consumer(s):',
          'Address of consumer(s):',
          'Signature of consumer(s) (only if this form is notified on paper):',
          'Date:',
        ],
      },
      '(*) Delete as appropriate.',
    ],
  }
}
