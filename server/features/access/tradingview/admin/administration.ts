import { createConnectionAdmin } from './connection.ts'
import type { AdminDependencies } from './dependencies.ts'
import { createPeopleAdmin } from './people.ts'
import { createPersonAdmin } from './person.ts'
import { createScriptsAdmin } from './scripts.ts'

export type TradingViewAdmin = ReturnType<typeof createTradingViewAdmin>

/** What the seller sees of the connector and does with it. Every action is audited. */
export const createTradingViewAdmin = (deps: AdminDependencies) => ({
  ...createConnectionAdmin(deps),
  ...createScriptsAdmin(deps),
  ...createPeopleAdmin(deps),
  ...createPersonAdmin(deps),
})
