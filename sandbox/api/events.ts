import { listOf } from '../basics.ts'
import { invalid, missing } from '../failure.ts'
import { newTestClock } from '../objects/kinds.ts'
import { flag, group, integer, paging, required, text, texts } from './params.ts'
import { route } from './route.ts'

export const eventRoutes = [
  route('GET /v1/events/:id', {}, async ({ work, id }) => {
    const { rows } = await work.database.query<{ data: object }>('select data from sandbox.events where id = $1', [id])
    if (!rows[0]) throw missing('event', id)
    return rows[0].data
  }),
  route(
    'GET /v1/events',
    {
      ...paging,
      created: group({ gte: required(integer), lte: integer }),
      delivery_success: flag,
      type: text,
      types: texts,
    },
    async ({ work, params }) => {
      const types = params.types ?? (params.type === undefined ? null : [params.type])
      if (types && types.length > 20) throw invalid('You may pass up to 20 event types.', 'types')
      const limit = Math.min(Math.max(params.limit ?? 10, 1), 100)
      // An event has been delivered if none of its deliveries is open ($4).
      const { rows } = await work.database.query<{ data: object }>(
        `select data from sandbox.events
        where ($1::text[] is null or type = any ($1)) and created between $2 and $3
          and ($4::boolean is null or $4 = not exists (
            select from sandbox.deliveries where event = events.id and delivered_at is null))
          and ($5::text is null or seq < (select seq from sandbox.events where id = $5))
        order by seq desc limit $6`,
        [
          types,
          params.created?.gte ?? 0,
          params.created?.lte ?? Number.MAX_SAFE_INTEGER,
          params.delivery_success ?? null,
          params.starting_after ?? null,
          limit + 1,
        ],
      )
      const data = rows.slice(0, limit).map((row) => row.data)
      return listOf('/v1/events', data, rows.length > limit)
    },
  ),
]

export const testClockRoutes = [
  route('POST /v1/test_helpers/test_clocks', { frozen_time: required(integer), name: text }, ({ work, params }) =>
    work.create(newTestClock(work.now, params.name ?? null, params.frozen_time)),
  ),
  route('GET /v1/test_helpers/test_clocks/:id', {}, ({ work, id }) => work.get('test_helpers.test_clock', id)),
  route('DELETE /v1/test_helpers/test_clocks/:id', {}, async ({ work, id }) => {
    await work.getForUpdate('test_helpers.test_clock', id)
    await work.database.query('delete from sandbox.objects where clock = $1 or id = $1', [id])
    return { id, object: 'test_helpers.test_clock', deleted: true }
  }),
  route(
    'POST /v1/test_helpers/test_clocks/:id/advance',
    { frozen_time: required(integer) },
    async ({ work, id, params }) => {
      const clock = await work.getForUpdate('test_helpers.test_clock', id)
      if (clock.status !== 'ready') throw invalid('The test clock is still advancing.')
      if (params.frozen_time <= clock.frozen_time) {
        throw invalid('frozen_time must be after the current frozen time.', 'frozen_time')
      }
      const advancing = await work.save({
        ...clock,
        status: 'advancing' as const,
        status_details: { advancing: { target_frozen_time: params.frozen_time } },
      })
      work.emit('test_helpers.test_clock.advancing', advancing)
      return advancing
    },
    { movesClock: true },
  ),
]
