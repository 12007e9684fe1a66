import { createCaller } from '#contract/call.ts'

export const { send, call, callPage } = createCaller((address, init) => fetch(address, init))
