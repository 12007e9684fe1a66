/** Everything TradingView has been seen to do instead of what was asked. */
export const faults = {
  none: 'answers as usual',
  robot: 'shows a page that checks for robots',
  html: 'answers with a page instead of JSON',
  limit: 'says 429: too many requests',
  error: 'says 500',
  slow: 'takes 15 seconds',
  drop: 'acts, then drops the connection',
  pretend: 'says ok without acting',
  owner: 'says the script is somebody else’s',
  blocked: 'blocks this server’s address',
  odd: 'answers with a status nobody knows',
  broken: 'answers with half a JSON text',
} as const
export type Fault = keyof typeof faults

/** `always` holds until told otherwise, for `rate` of all calls; `next` are used up first, one call each. */
export type Faults = { always?: Fault; rate?: number; next?: Fault[]; on?: string }
