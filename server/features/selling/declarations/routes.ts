import type { declarations as contract } from '#contract/selling/declarations.ts'
import type { Handlers } from '#server/http/mount.ts'
import type { Declarations } from './declarations.ts'

export function declarationRoutes(declarations: Declarations): Handlers<typeof contract> {
  const { administration } = declarations
  return {
    withdraw: (declared, { actor }) => declarations.withdraw(actor, declared),
    cancel: (declared, { actor }) => declarations.cancel(actor, declared),
    confirm: ({ id, token }) => declarations.confirm(id, token),
    adminList: (page) => administration.list(page),
    adminCarryOut: ({ id }, { actor }) => administration.carryOut(actor, id),
    adminClose: ({ id, outcome }, { actor }) => administration.close(actor, id, outcome),
  }
}
