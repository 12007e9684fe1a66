import * as z from 'zod/mini'
import { endpoint } from '../endpoint.ts'
import { email, pageAndSearchFields, person, signUpPassword, sort } from '../fields.ts'
import { personName } from '../person-name.ts'

export const accountsAdmin = {
  list: endpoint('GET /api/admin/users', {
    access: 'customers.read',
    summary: 'Users, newest first',
    input: z.strictObject({ ...pageAndSearchFields, sort }),
    output: z.array(z.extend(person, { activePurchases: z.int(), totalPurchases: z.int() })),
    answer: 'list',
  }),
  add: endpoint('POST /api/admin/users', {
    access: 'people.manage',
    summary: 'Create a user',
    input: z.strictObject({
      email,
      /** Without a password, the invitation is always sent, and its link sets one. */
      password: z.optional(signUpPassword),
      name: personName,
      isAdmin: z.boolean(),
      /** Sends a link to choose a password; new admins and users without a password always get one. */
      invite: z.optional(z.boolean()),
    }),
  }),
  delete: endpoint('DELETE /api/admin/users/:id', {
    access: 'people.manage',
    summary: 'Delete a user: personal data is anonymized, the books stay',
  }),
}
