import type { seats as contract } from '#contract/selling/seats.ts'
import type { Handlers } from '#server/http/mount.ts'
import type { Seats } from './seats.ts'

export const seatRoutes = (seats: Seats): Handlers<typeof contract> => ({
  show: () => seats.show(),
  join: ({ email }) => seats.join(email),
})
