import { and, eq, isNull } from 'drizzle-orm'
import { planOf, plansWithPrice } from '#contract/plans.ts'
import type { Context } from '#server/context.ts'
import type { Transaction } from '#server/database/connect.ts'
import { users } from '#server/database/schema.ts'
import { graceEnd, type PurchaseRow, periodOf } from '../purchases/purchases.ts'
import { type ChangeTexts, createChangeEmails, type PurchaseChange } from './change-emails.ts'

export { createAnnouncements } from './announcements.ts'
export type { NewAccount } from './change-emails.ts'
export { createExpiryNotices } from './expiry-notices.ts'
export { createNextCharge, type NextChargeOf } from './next-charge.ts'

type NoticeDeps = Pick<Context, 'mails' | 'attempts' | 'supportEmail' | 'catalog' | 'now'>

export type Notices = {
  emailAboutChange(tx: Transaction, change: PurchaseChange): Promise<void>
  emailRefundFailed(tx: Transaction, purchase: PurchaseRow, amount: number): Promise<void>
  /** The link needs no login. */
  emailPayLink(tx: Transaction, purchase: PurchaseRow, invoiceId: string): Promise<void>
  emailExtended(tx: Transaction, purchase: PurchaseRow, until: Date): Promise<void>
}

export function createNotices({ mails, attempts, supportEmail, catalog, now }: NoticeDeps): Notices {
  async function findRecipient(tx: Transaction, purchase: PurchaseRow) {
    const buyer = await findBuyer(tx, purchase)
    const product = (await catalog.findRow(purchase.productId, tx)).name
    return { to: buyer?.email, nameAndProduct: { name: buyer?.name ?? '', product } }
  }

  async function readChangeTexts(tx: Transaction, { purchase }: PurchaseChange, name: string): Promise<ChangeTexts> {
    const { productId, billingType, price: amount } = purchase
    const { name: product, slug } = await catalog.findRow(productId, tx)
    const nameAndProduct = { name, product }
    const [shortest] = plansWithPrice(catalog.findById(productId)?.prices ?? {})
    const hasShorterPlan = shortest !== undefined && planOf(billingType).months > shortest.months
    return {
      nameAndProduct,
      subscription: { ...nameAndProduct, billingType, period: periodOf(purchase), amount },
      slug,
      isOnSale: catalog.productsOnSale().some(({ id }) => id === productId),
      shorterPlan: hasShorterPlan ? shortest.key : null,
    }
  }

  const emails = createChangeEmails({ mails, attempts, now })

  return {
    async emailAboutChange(tx, change) {
      const { purchaseBefore, purchase, code = '' } = change
      const recipient = change.to ?? (await findBuyer(tx, purchase))
      if (!recipient) return
      const { endedBecause } = purchase
      const to = recipient.email
      const texts = await readChangeTexts(tx, change, recipient.name)

      // A refused purchase gets one email when it is refused, and none about later changes. A code is refused only for a
      // new purchase; a known one can still become a duplicate, when it resumes after a pause.
      const refund = { ...texts.nameAndProduct, amount: purchase.lastPaidAmount ?? purchase.price }
      if (endedBecause === 'duplicate') {
        if (!purchaseBefore?.endedBecause) await mails.send(tx, to, 'duplicateRefunded', refund)
        return
      }
      if (endedBecause === 'code_used_up' || endedBecause === 'code_new_only') {
        if (!purchaseBefore) await mails.send(tx, to, 'codeRefunded', { ...refund, code, because: endedBecause })
        return
      }

      await emails.sendReceiptOrAccount(tx, change, to, texts)
      await emails.sendPaymentFailed(tx, change, to, texts)
      await emails.sendStatusChange(tx, change, to, texts)
      // `endedBecause` is passed separately, because its type excludes the reasons above.
      await emails.sendRefundAndEnd(tx, { ...change, endedBecause }, to, texts)
      if (purchase.isDisputed && !purchaseBefore?.isDisputed) {
        const { product } = texts.nameAndProduct
        await mails.send(tx, supportEmail, 'disputeOpened', { product, amount: purchase.disputedAmount, email: to })
      }
    },

    async emailRefundFailed(tx, purchase, amount) {
      const { to, nameAndProduct } = await findRecipient(tx, purchase)
      if (to) await mails.send(tx, to, 'refundFailed', { ...nameAndProduct, amount })
    },

    async emailPayLink(tx, purchase, invoiceId) {
      const { to, nameAndProduct } = await findRecipient(tx, purchase)
      const { id: purchaseId, billingType, price: amount, dueAmount, pastDueSince } = purchase
      if (to)
        await mails.send(tx, to, 'paymentFailed', {
          ...nameAndProduct,
          billingType,
          period: periodOf(purchase),
          amount,
          charged: dueAmount ?? amount,
          refusal: purchase.cardRefusal,
          // The text of the second reminder, whatever the step of the purchase is.
          step: 2,
          endsAt: pastDueSince ? graceEnd(pastDueSince).toISOString() : null,
          invoice: { purchaseId, invoiceId },
        })
    },

    async emailExtended(tx, purchase, until) {
      const { to, nameAndProduct } = await findRecipient(tx, purchase)
      // A booking by hand has an end, but no renewal.
      const renews = purchase.paidThrough === 'stripe'
      if (to)
        await mails.send(tx, to, 'subscriptionExtended', { ...nameAndProduct, until: until.toISOString(), renews })
    },
  }
}

async function findBuyer(tx: Transaction, { userId }: PurchaseRow) {
  const [user] = await tx
    .select()
    .from(users)
    .where(and(eq(users.id, userId), isNull(users.deletedAt)))
  return user
}
