import type { FastifyInstance } from 'fastify'
import type { Pool } from 'pg'
import type { Queue } from '../jobs/queue.ts'

/** `/healthz`: the process is alive. `/readyz`: it can serve, because the database answers and the jobs run. */
export function mountHealth(app: FastifyInstance, { pool, queue }: { pool: Pool; queue: Queue }) {
  const unlimited = { config: { perMinute: false as const } }
  app.get('/healthz', unlimited, () => ({ status: 'ok' }))
  app.get('/readyz', unlimited, async (_request, reply) => {
    const database = await pool.query('select 1').then(
      () => true,
      () => false,
    )
    const jobs = queue.isRunning()
    return reply.status(database && jobs ? 200 : 503).send({ database, jobs })
  })
}
