import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Answer, ask } from '../lab/ask.ts'
import { get, runLoad } from '../lab/load.ts'
import { createTally, descriptorsOf, memoryOf, timed } from '../lab/measures.ts'
import type { Row } from './limits.ts'

export const slowConnections: Row = {
  name: 'slow connections',
  alone: true,
  async run({ shop, limits: { slowConnections: limit } }) {
    let connected = 0
    const sockets = Array.from({ length: limit.connections }, () =>
      connect(shop.port, '127.0.0.1', () => {
        connected += 1
      }).on('error', () => undefined),
    )
    const drip = setInterval(() => {
      for (const socket of sockets) if (socket.writable) socket.write('x')
    }, 1000)
    for (const socket of sockets) socket.write('GET / HTTP/1.1\r\nhost: localhost\r\nx-slow: ')
    // More than the system queues: those who find the queue full try again after a second.
    for (let waited = 0; waited < 3000 && connected < limit.connections; waited += 50) await sleep(50)
    const others = createTally<Answer>()
    let slowest = 0
    for (let visit = 0; visit < limit.visits; visit++) {
      const [answer, took] = await timed(() => ask(shop, { path: '/' }))
      others.add(answer)
      slowest = Math.max(slowest, took)
      await sleep(50)
    }
    clearInterval(drip)
    const cutOff = sockets.filter((socket) => socket.destroyed || socket.readyState !== 'open').length
    for (const socket of sockets) socket.destroy()
    return {
      ok: connected === limit.connections && others.only(200) && slowest < limit.slowestMs,
      figures: `${connected} slow connections (${cutOff} of them cut off): other responses ${others.show()}, slowest ${slowest.toFixed(0)} ms`,
    }
  },
}

export const manyRequests: Row = {
  name: 'memory and descriptors',
  alone: true,
  async run({ shop, limits: { manyRequests: limit } }) {
    const requests = ['/', '/api/products', '/api/user', '/nope'].map((path) => get(path))
    const send = async (count: number) => {
      let sent = 0
      for (let turn = 0; sent < count; turn++) {
        const request = requests[turn % requests.length] ?? ''
        const load = { port: shop.port, request, connections: 64, seconds: limit.secondsEach }
        sent += (await runLoad(load)).requests
      }
      // Pending cleanup is not a leak.
      await sleep(1500)
      return { sent, memory: memoryOf(shop.pid()), descriptors: descriptorsOf(shop.pid()) }
    }
    const before = await send(limit.requests / 5)
    const after = await send(limit.requests)
    return {
      ok:
        after.memory <= before.memory * limit.memoryGrowth &&
        after.descriptors <= before.descriptors + limit.moreDescriptors,
      figures: `${after.sent} requests: memory ${before.memory} MB, then ${after.memory} MB; descriptors ${before.descriptors}, then ${after.descriptors}`,
    }
  },
}
