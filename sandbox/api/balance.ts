import { group, integer, paging, required, text } from './params.ts'
import { readRoute, route } from './route.ts'

const created = group({ gte: required(integer) })

export const balanceRoutes = [
  route(
    'GET /v1/balance_transactions',
    { ...paging, created, payout: text },
    ({ work, params: { created: time, payout, ...page } }) =>
      work.list(
        'balance_transaction',
        { match: payout === undefined ? {} : { $sandbox: { payout } }, createdSince: time?.gte },
        page,
      ),
  ),
  readRoute('balance_transaction'),
  route('GET /v1/payouts', { ...paging, created }, ({ work, params: { created: time, ...page } }) =>
    work.list('payout', { createdSince: time?.gte }, page),
  ),
  readRoute('payout'),
]
