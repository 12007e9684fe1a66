export const sellerSettings = {
  name: 'SELLER_NAME',
  street: 'SELLER_STREET',
  city: 'SELLER_CITY',
  country: 'SELLER_COUNTRY',
  phone: 'SELLER_PHONE',
  representative: 'SELLER_REPRESENTATIVE',
  responsible: 'SELLER_RESPONSIBLE',
  register: 'SELLER_REGISTER',
  registerCourt: 'SELLER_REGISTER_COURT',
  authority: 'SELLER_AUTHORITY',
  vatId: 'SELLER_VAT_ID',
  taxNumber: 'SELLER_TAX_NUMBER',
} as const

/** Details that the seller did not enter are empty strings. */
export type Seller = Record<keyof typeof sellerSettings, string>
