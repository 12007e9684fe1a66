/** Discount codes: the seller makes them, buyers use them up. */
export { type CodeAdministration, createCodeAdministration } from './administration.ts'
export { type Code, type Codes, createCodes } from './uses.ts'
