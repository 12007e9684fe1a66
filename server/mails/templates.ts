import { accessMails } from './templates/access.ts'
import { accountMails } from './templates/accounts.ts'
import { adminMails } from './templates/admin.ts'
import { declarationMails } from './templates/declarations.ts'
import { factorMails } from './templates/factors.ts'
import { paymentMails } from './templates/payments.ts'
import { purchaseMails } from './templates/purchases.ts'
import { siteMails } from './templates/site.ts'

export const templates = {
  ...accountMails,
  ...factorMails,
  ...paymentMails,
  ...purchaseMails,
  ...accessMails,
  ...declarationMails,
  ...adminMails,
  ...siteMails,
}

export type MailKind = keyof typeof templates
export type MailData<Kind extends MailKind> = Parameters<(typeof templates)[Kind]>[0]
