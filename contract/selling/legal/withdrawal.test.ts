import { expect, test } from 'vitest'
import { terms } from './terms.ts'
import { isList, type LegalText, piecesOf, type Words } from './text.ts'
import { modelForm, withdrawalInstruction } from './withdrawal.ts'

const party = {
  name: 'Sigma GmbH',
  address: ['Hauptgasse 1', '4500 Solothurn', 'Switzerland'],
  phone: '+41 32 000 00 00',
  email: 'help@sigma.example',
  publicUrl: 'https://sigma.example',
}

/** Typed from the directive, not copied from the code. The text in brackets is what the shop fills in. */
const annexA = `Right of withdrawal
You have the right to withdraw from this contract within 14 days without giving any reason.
The withdrawal period will expire after 14 days from the day [of the conclusion of the contract.]
To exercise the right of withdrawal, you must inform us ([Sigma GmbH, Hauptgasse 1, 4500 Solothurn, Switzerland, +41 32 000 00 00, help@sigma.example]) of your decision to withdraw from this contract by an unequivocal statement (e.g. a letter sent by post or email). You may use the attached model withdrawal form, but it is not obligatory. You can also exercise your right of withdrawal online at [https://sigma.example/withdraw (“Withdraw from contract here” at the bottom of every page)]. If you use this online feature, we will send you an acknowledgement of receipt of the withdrawal on a durable medium (e.g. by email), including its content and the date and time of its submission, without undue delay.
To meet the withdrawal deadline, it is sufficient for you to send your communication concerning your exercise of the right of withdrawal before the withdrawal period has expired.
Effects of withdrawal
If you withdraw from this contract, we shall reimburse to you all payments received from you, including the costs of delivery (with the exception of the supplementary costs resulting from your choice of a type of delivery other than the least expensive type of standard delivery offered by us), without undue delay and in any event not later than 14 days from the day on which we are informed about your decision to withdraw from this contract. We will carry out such reimbursement using the same means of payment as you used for the initial transaction, unless you have expressly agreed otherwise; in any event, you will not incur any fees as a result of such reimbursement.`

const annexB = `Model withdrawal form
(complete and return this form only if you wish to withdraw from the contract)
To [Sigma GmbH, Hauptgasse 1, 4500 Solothurn, Switzerland, help@sigma.example]:
I/We (*) hereby give notice that I/We (*) withdraw from my/our (*) contract of sale of the following goods (*)/for the provision of the following service (*),
Ordered on (*)/received on (*),
Name of consumer(s),
Address of consumer(s),
Signature of consumer(s) (only if this form is notified on paper),
Date
(*) Delete as appropriate.`

const paragraphsOf = ({ blocks }: LegalText) => blocks.flatMap((block) => (isList(block) ? block.list : [block]))

const plainText = (words: Words) =>
  piecesOf(words)
    .map(({ text }) => text)
    .join('')

test('instruction and form are those of the directive’s Annex I, word for word', () => {
  const legalTexts = [...withdrawalInstruction(party), modelForm(party)]
  const lines = legalTexts.flatMap((legalText) => [legalText.title, ...paragraphsOf(legalText).map(plainText)])
  expect(lines.join('\n')).toBe(`${annexA}\n${annexB}`.replaceAll(/[[\]]/g, ''))
})

const linksIn = (legalTexts: LegalText[]) =>
  legalTexts.flatMap(paragraphsOf).flatMap((words) => piecesOf(words).flatMap(({ href }) => href ?? []))

test('Markdown links in the seller’s settings stay plain text', () => {
  const planted = '[Log in here](https://evil.example)'
  const seller = { ...party, name: planted, address: [planted], phone: planted }
  const texts = terms(seller, {
    consumerLaw: 'eu',
    taxNote: planted,
    productsOnSale: [],
    law: { law: planted, venue: planted },
  })
  expect(linksIn(texts)).toEqual(['mailto:help@sigma.example', '/dashboard', '/cancel', '/withdraw'])
  expect(JSON.stringify(texts)).toContain(planted)
})
