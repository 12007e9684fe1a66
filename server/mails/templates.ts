import { accessMails } from './templates/access.ts'
import { accountMails } from './templates/accounts.ts'
import { adminMails } from './templates/admin.ts'
import { bookingMails } from './templates/bookings.ts'
import { declarationMails } from './templates/declarations.ts'
import { factorMails } from './templates/factors.ts'
import { newsletterMails } from './templates/newsletter.ts'
import { paymentMails } from './templates/payments.ts'
import { purchaseMails, refundMails } from './templates/purchases.ts'
import { reviewMails } from './templates/reviews.ts'
import { tradingViewMails } from './templates/tradingview.ts'

/** Every email the shop sends, by kind. */
export const templates = {
  ...accountMails,
  ...factorMails,
  ...paymentMails,
  ...purchaseMails,
  ...refundMails,
  ...bookingMails,
  ...accessMails,
  ...declarationMails,
  ...reviewMails,
  ...newsletterMails,
  ...adminMails,
  ...tradingViewMails,
}

export type MailKind = keyof typeof templates
export type MailData<Kind extends MailKind> = Parameters<(typeof templates)[Kind]>[0]
