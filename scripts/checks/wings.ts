/** Each wing knows those before it. What one must tell a later one goes through a function handed in by the wiring. */
const wings = ['identity', 'selling', 'access', 'site', 'desk']

const wingOf = (path: string) =>
  wings.find((wing) => path.match(/^(?:contract|(?:server|web)\/features)\/(\w+)\//)?.[1] === wing)

/** They list every call. */
const namesEveryCall = /^contract\/(index|plain-forms)\.ts$/

export function wingComplaint(from: string, to: string): string | undefined {
  const [wing, target] = [wingOf(from), wingOf(to)]
  // A screen may call what it likes: the server's wings decide.
  if (!target || wing === target || from.split('/')[0] !== to.split('/')[0]) return undefined
  if (wing) return wings.indexOf(target) < wings.indexOf(wing) ? undefined : `${wing} may not know ${target}`
  if (from.startsWith('contract/') && !namesEveryCall.test(from))
    return `the ground floor may not know ${target}`
  return undefined
}
