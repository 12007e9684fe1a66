import { createCaller } from '#contract/call.ts'

export const { send, call, isDone, callPage } = createCaller(
  (address, init) => fetch(address, init),
  // Loaded when the shop asks who is there; most visits never need it.
  async (ways) => (await import('./step-up.tsx')).proveAgain(ways),
)
