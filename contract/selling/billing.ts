import { endpoint } from '../endpoint.ts'
import { optionalLine } from '../fields.ts'
import { exactDollars } from '../money.ts'
import { type InferOutput, object, type Zod } from '../schema.ts'

/** Every country (ISO 3166-1). */
export const countries =
  'AD AE AF AG AI AL AM AO AR AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BW BY BZ CA CD CF CG CH CI CK CL CM CN CO CR CV CW CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HN HR HT HU ID IE IL IM IN IO IQ IS IT JE JM JO JP KE KG KH KI KM KN KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MK ML MM MN MO MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PY QA RE RO RS RU RW SA SB SC SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG US UY UZ VA VC VE VG VN VU WF WS XK YE YT ZA ZM ZW'.split(
    ' ',
  )

/** Where the tax depends on more than the country. */
export const needsPostalCode = (country: string) => country === 'US' || country === 'CA'

const chooseCountry = 'Please choose your country'

export const country = (z: Zod) =>
  z.string(chooseCountry).check(z.refine<string>((typed) => countries.includes(typed), chooseCountry))

export const vatId = (z: Zod) =>
  z
    .string()
    .check(
      z.trim(),
      z.toUpperCase(),
      z.regex(/^([A-Z]{2}[A-Z0-9.\- +*]{2,22})?$/, 'Please enter the VAT ID like DE123456789'),
    )

/** The tax inside a price. */
export const tax = object((z) => ({
  percent: z.number(),
  amount: z.int(),
  isReverseCharge: z.boolean(),
  /** Each tax by its own name; missing in emails that an earlier version queued. */
  parts: z.optional(z.array(z.strictObject({ name: z.string(), percent: z.number(), amount: z.int() }))),
}))
export type Tax = InferOutput<typeof tax>

/** "incl. 19 % VAT ($6.23)", "incl. 5 % GST ($1.70) and 9.975 % QST ($3.38)" */
export function taxLine({ percent, amount, isReverseCharge, parts }: Tax) {
  if (isReverseCharge) return 'Reverse charge: you account for the VAT'
  const named = parts ?? [{ name: 'VAT', percent, amount }]
  return `incl. ${named.map((each) => `${each.percent} % ${each.name} (${exactDollars(each.amount)})`).join(' and ')}`
}

const details = (z: Zod) => ({
  company: optionalLine(z, 100),
  street: optionalLine(z, 100),
  postalCode: optionalLine(z, 20),
  city: optionalLine(z, 100),
  country: z
    .string()
    .check(z.refine<string>((typed) => typed === '' || countries.includes(typed), chooseCountry)),
  vatId: vatId(z),
})

const billingDetails = object((z) => ({
  company: z.string(),
  street: z.string(),
  postalCode: z.string(),
  city: z.string(),
  country: z.string(),
  vatId: z.string(),
}))
export type BillingDetails = InferOutput<typeof billingDetails>

export const billing = {
  details: endpoint('GET /api/billing-details', {
    access: 'user',
    summary: 'What I want on my invoices',
    output: billingDetails,
  }),
  save: endpoint('POST /api/billing-details', {
    access: 'user',
    summary: 'Company, address and VAT ID for my next invoice',
    input: object(details),
    limit: { requests: 30, seconds: 600 },
  }),
}
