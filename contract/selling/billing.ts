import * as z from 'zod/mini'
import { endpoint } from '../endpoint.ts'
import { optionalLine } from '../fields.ts'
import { exactDollars } from '../money.ts'

/** Every country (ISO 3166-1), in the order of its English names. */
export const countries =
  'AF AX AL DZ AD AO AI AG AR AM AW AU AT AZ BS BH BD BB BY BE BZ BJ BM BT BO BA BW BR IO VG BN BG BF BI KH CM CA CV BQ KY CF TD CL CN CO KM CG CD CK CR CI HR CW CY CZ DK DJ DM DO EC EG SV GQ ER EE SZ ET FK FO FJ FI FR GF PF TF GA GM GE DE GH GI GR GL GD GP GU GT GG GN GW GY HT HN HK HU IS IN ID IQ IE IM IL IT JM JP JE JO KZ KE KI XK KW KG LA LV LB LS LR LY LI LT LU MO MG MW MY MV ML MT MQ MR MU YT MX MD MC MN ME MS MA MZ MM NA NR NP NL NC NZ NI NE NG NU NF MK NO OM PK PS PA PG PY PE PH PN PL PT PR QA RE RO RU RW WS SM ST SA SN RS SC SL SG SX SK SI SB SO ZA GS KR SS ES LK BL SH KN LC MF PM VC SR SJ SE CH TW TJ TZ TH TL TG TK TO TT TN TR TM TC TV UG UA AE GB US UY UZ VU VA VE VN WF EH YE ZM ZW'.split(
    ' ',
  )

/** True for countries whose sales tax also depends on the postal code. */
export const needsPostalCode = (country: string) => country === 'US' || country === 'CA'

const chooseCountry = 'Please choose your country'

export const country = z
  .string(chooseCountry)
  .check(z.refine<string>((typed) => countries.includes(typed), chooseCountry))

export const vatId = z
  .string()
  .check(
    z.trim(),
    z.toUpperCase(),
    z.regex(/^([A-Z]{2}[A-Z0-9.\- +*]{2,22})?$/, 'Please enter the VAT ID like DE123456789'),
  )

export const tax = z.object({
  percent: z.number(),
  amount: z.int(),
  isReverseCharge: z.boolean(),
  /** An entry for each kind of tax, such as GST and QST. */
  parts: z.array(z.object({ name: z.string(), percent: z.number(), amount: z.int() })),
})
export type Tax = z.infer<typeof tax>

/** For example "incl. 5 % GST ($1.70) and 9.975 % QST ($3.38)". */
export function taxLine({ isReverseCharge, parts }: Tax) {
  if (isReverseCharge) return 'Reverse charge: you account for the VAT'
  const taxes = parts.map(({ percent, name, amount }) => `${percent} % ${name} (${exactDollars(amount)})`)
  return `incl. ${taxes.join(' and ')}`
}

const billingDetailsInput = {
  company: optionalLine(100),
  street: optionalLine(100),
  postalCode: optionalLine(20),
  city: optionalLine(100),
  country: z.string().check(z.refine<string>((typed) => typed === '' || countries.includes(typed), chooseCountry)),
  vatId,
}

const billingDetails = z.object({
  company: z.string(),
  street: z.string(),
  postalCode: z.string(),
  city: z.string(),
  country: z.string(),
  vatId: z.string(),
})
export type BillingDetails = z.infer<typeof billingDetails>

const shownBillingDetails = z.extend(billingDetails, {
  /** True while a subscription is taxed for this place, so that a checkout can't choose another. */
  hasSubscription: z.boolean(),
})

export const billing = {
  details: endpoint('GET /api/billing-details', { summary: 'What I want on my invoices', output: shownBillingDetails }),
  save: endpoint('POST /api/billing-details', {
    summary: 'Company, address and VAT ID for my next invoice',
    input: z.strictObject(billingDetailsInput),
    limit: { requests: 30, seconds: 600 },
  }),
}
