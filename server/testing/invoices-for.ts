/** SQL that gives each purchase (`p`) a paid invoice with the id `in_` and the purchase's id. */
export const invoicesFor = (where: string) => `
  insert into invoices (id, purchase_id, user_id, subscription_id, status, collection, created_at, finalized_at, paid_at,
    total, tax, amount_paid, amount_remaining, paid_out_of_band, is_proration, credit, period_net)
  select 'in_' || p.id, p.id, p.user_id, 'sub_' || p.id, 'paid', 'charge_automatically', p.created_at, p.created_at,
    p.created_at, p.price, 0, p.price, 0, 0, false, 0, p.price
  from purchases p where ${where}`
