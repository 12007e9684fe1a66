/** The seller's particulars for imprint, invoices, and legal texts; what is not known is empty. */
export type Seller = {
  name: string
  street: string
  city: string
  country: string
  phone: string
  representative: string
  responsible: string
  register: string
  registerCourt: string
  authority: string
  vatId: string
  taxNumber: string
}
