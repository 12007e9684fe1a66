import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Answer, ask } from '../../lab/ask.ts'
import { get, runLoad } from '../../lab/load.ts'
import { createTally, descriptorsOf, memoryOf, timed } from '../../lab/measures.ts'
import { fault, sized, smallHeap } from '../fault.ts'

const slowLimit = sized(
  { connections: 2000, visits: 100, slowestMs: 500 },
  { connections: 500, visits: 20, slowestMs: 5000 },
)
const memoryLimit = { requests: 1_000_000, secondsEach: 5, memoryGrowth: 1.1, moreDescriptors: 5 }

fault('slow connections', async ({ shop }) => {
  let connected = 0
  const sockets = Array.from({ length: slowLimit.connections }, () =>
    connect(shop.port, '127.0.0.1', () => {
      connected += 1
    }).on('error', () => undefined),
  )
  const drip = setInterval(() => {
    for (const socket of sockets) if (socket.writable) socket.write('x')
  }, 1000)
  for (const socket of sockets) socket.write('GET / HTTP/1.1\r\nhost: localhost\r\nx-slow: ')
  // These are more than the system queues, so some connections are retried after a second.
  for (let waited = 0; waited < 3000 && connected < slowLimit.connections; waited += 50) await sleep(50)
  // Some may still be in the queue, and a visitor's connection would be retried too.
  await ask(shop, { path: '/' })
  const otherAnswers = createTally<Answer>()
  let slowestMs = 0
  for (let visit = 0; visit < slowLimit.visits; visit++) {
    const [answer, tookMs] = await timed(() => ask(shop, { path: '/' }))
    otherAnswers.add(answer)
    slowestMs = Math.max(slowestMs, tookMs)
    await sleep(50)
  }
  clearInterval(drip)
  const cutOff = sockets.filter((socket) => socket.destroyed || socket.readyState !== 'open').length
  for (const socket of sockets) socket.destroy()
  return {
    ok: connected === slowLimit.connections && otherAnswers.only(200) && slowestMs < slowLimit.slowestMs,
    figures: `${connected} slow connections (${cutOff} of them cut off): other responses ${otherAnswers.show()}, slowest ${slowestMs.toFixed(0)} ms`,
  }
})

fault(
  'memory and descriptors',
  async ({ shop }) => {
    const requests = ['/', '/api/products', '/api/user', '/nope'].map((path) => get(path))
    // Ends with the same request each time, because they leave different amounts of memory to collect.
    const send = async (count: number) => {
      let sent = 0
      while (sent < count)
        for (const request of requests) {
          const load = { port: shop.port, request, connections: 64, seconds: memoryLimit.secondsEach }
          sent += (await runLoad(load)).requests
        }
      // Waits for cleanup, which would look like a leak.
      await sleep(1500)
      return { sent, memory: memoryOf(shop.pid()), descriptors: descriptorsOf(shop.pid()) }
    }
    const warmUp = await send(memoryLimit.requests / 5)
    const load = await send(memoryLimit.requests)
    return {
      ok:
        load.memory <= warmUp.memory * memoryLimit.memoryGrowth &&
        load.descriptors <= warmUp.descriptors + memoryLimit.moreDescriptors,
      figures: `${load.sent} requests: memory ${warmUp.memory} MB, then ${load.memory} MB; descriptors ${warmUp.descriptors}, then ${load.descriptors}`,
    }
  },
  { env: smallHeap, isInQuickRun: false },
)
