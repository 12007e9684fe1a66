import * as z from 'zod/mini'
import { endpoint, nothing, paging } from './endpoint.ts'
import { billingType, cents, id, instant } from './fields.ts'

/** The spec's four, and past_due: a renewal failed, access goes on while the card is asked again. */
export const purchaseStatus = z.enum(['active', 'pending_cancel', 'past_due', 'cancelled', 'expired'])
export type PurchaseStatus = z.output<typeof purchaseStatus>

const purchase = z.strictObject({
  id,
  userId: id,
  productId: id,
  billingType,
  amount: cents,
  status: purchaseStatus,
  createdAt: instant,
  currentPeriodEnd: z.nullable(instant),
  tradingViewUsername: z.nullable(z.string()),
  user: z.strictObject({ email: z.string(), name: z.string() }),
  product: z.strictObject({ name: z.string(), slug: z.string() }),
})
export type Purchase = z.output<typeof purchase>

export const purchases = {
  list: endpoint({
    method: 'GET',
    path: '/api/purchases',
    access: 'user',
    summary: 'My purchases, newest first',
    input: z.strictObject({ limit: paging.limit, cursor: paging.cursor }),
    output: z.array(purchase),
    answer: 'list',
  }),
  cancel: endpoint({
    method: 'POST',
    path: '/api/purchases/:id/cancel',
    access: 'user',
    summary: 'Cancel at the end of the paid period',
    input: z.strictObject({ id }),
    output: nothing,
  }),
  invoice: endpoint({
    method: 'GET',
    path: '/api/purchases/:id/invoice',
    access: 'user',
    summary: 'Where the latest invoice can be seen and downloaded',
    input: z.strictObject({ id }),
    output: z.strictObject({ invoiceUrl: z.string() }),
  }),
  adminList: endpoint({
    method: 'GET',
    path: '/api/admin/purchases',
    access: 'admin',
    summary: 'Purchases, newest first',
    input: z.strictObject(paging),
    output: z.array(purchase),
    answer: 'list',
  }),
  adminAdd: endpoint({
    method: 'POST',
    path: '/api/admin/purchases',
    access: 'admin',
    summary: 'Book a purchase by hand',
    input: z.strictObject({
      userId: id,
      productId: id,
      billingType,
      amount: cents,
      status: z.enum(['active', 'cancelled', 'expired']),
    }),
    output: nothing,
  }),
  adminCancel: endpoint({
    method: 'PATCH',
    path: '/api/admin/purchases/:id/cancel',
    access: 'admin',
    summary: 'Cancel a purchase, and its subscription at Stripe',
    input: z.strictObject({ id }),
    output: nothing,
  }),
  adminDelete: endpoint({
    method: 'DELETE',
    path: '/api/admin/purchases/:id',
    access: 'admin',
    summary: 'Delete a purchase for good, and cancel its subscription at Stripe',
    input: z.strictObject({ id }),
    output: nothing,
  }),
}
