import { Refusal } from '../errors.ts'

const message = 'This address belongs to the shop. Please use another one, or log in if it’s yours.'

export type RefuseShopAddress = (email: string) => void

/** The seller's own addresses, as they are set now: a stranger with an account of that name would be taken for the shop. */
export const createRefuseShopAddress =
  (addresses: () => (string | undefined)[]): RefuseShopAddress =>
  (email) => {
    if (addresses().some((own) => own?.toLowerCase() === email.toLowerCase()))
      throw new Refusal(409, 'shop-address', message, { fields: { email: message } })
  }
