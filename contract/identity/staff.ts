import * as z from 'zod/mini'
import { endpoint } from '../endpoint.ts'
import { id } from '../fields.ts'
import { roles } from '../permissions.ts'

export const staff = {
  adminSetRole: endpoint('POST /api/admin/users/:id/role', {
    access: 'people.manage',
    summary: 'Make someone an admin or support, or take the role away; logs them out everywhere',
    input: z.strictObject({ id, role: z.enum(['admin', ...roles, 'none']) }),
  }),
}

export const customerData = {
  adminDownload: endpoint('GET /api/admin/users/:id/data', {
    access: 'people.manage',
    fresh: true,
    summary: 'Everything the shop keeps about one person, and what shares their email address',
    output: z.record(z.string(), z.unknown()),
  }),
}
