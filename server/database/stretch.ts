/** A part of somebody's history: the newest entries up to a moment. Every room's `historyOf` takes one. */
export type Stretch = { before: Date; limit: number }
