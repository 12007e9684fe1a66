import { taxIdsOf } from '../billing/tax.ts'
import { invalid } from '../failure.ts'
import { listOf } from '../objects/list.ts'
import { deletedTaxId, newTaxId } from '../objects/tax.ts'
import { choice, paging, required, text } from './params.ts'
import { route } from './route.ts'

/** What a VAT ID looks like, by kind. Whether it exists is the tax office's to know. */
const patterns = {
  eu_vat:
    /^(AT|BE|BG|CY|CZ|DE|DK|EE|EL|ES|FI|FR|HR|HU|IE|IT|LT|LU|LV|MT|NL|PL|PT|RO|SE|SI|SK|XI)[A-Z0-9+*]{2,12}$/,
  ch_vat: /^CHE-\d{3}\.\d{3}\.\d{3} (MWST|TVA|IVA)$/,
  gb_vat: /^GB\d{9}$/,
}

export const taxRoutes = [
  route('GET', '/v1/tax_rates/:id', {}, ({ work, id }) => work.get('tax_rate', id)),
  route(
    'POST',
    '/v1/customers/:id/tax_ids',
    { type: required(choice('eu_vat', 'ch_vat', 'gb_vat')), value: required(text) },
    async ({ work, id, params: { type, value } }) => {
      await work.claim('customer', id)
      await work.customer(id)
      if (!patterns[type].test(value)) throw invalid(`Invalid value for ${type}.`, 'value', 'tax_id_invalid')
      const taxId = await work.insert(newTaxId(work.now, id, type, value))
      work.emit('customer.tax_id.created', taxId)
      return taxId
    },
  ),
  route('GET', '/v1/customers/:id/tax_ids', paging, async ({ work, id }) =>
    listOf(`/v1/customers/${id}/tax_ids`, await taxIdsOf(work, id)),
  ),
  route('DELETE', '/v1/tax_ids/:id', {}, async ({ work, id }) => {
    const before = await work.claim('tax_id', id)
    if ('deleted' in before) return before
    work.emit('customer.tax_id.deleted', before)
    return work.save(deletedTaxId(id))
  }),
]
