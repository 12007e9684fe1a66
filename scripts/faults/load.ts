import { readdirSync } from 'node:fs'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { memory, runLoad } from '../bench/measure.ts'
import { type Row, timed } from './row.ts'

export const slowConnections: Row = {
  name: 'slow connections',
  alone: true,
  async run(victim, quick) {
    const count = quick ? 500 : 2000
    const sockets = Array.from({ length: count }, () =>
      connect(victim.port, '127.0.0.1').on('error', () => undefined),
    )
    const drip = setInterval(() => {
      for (const socket of sockets) if (socket.writable) socket.write('x')
    }, 1000)
    for (const socket of sockets) socket.write('GET / HTTP/1.1\r\nhost: localhost\r\nx-slow: ')
    await sleep(500)
    let slowest = 0
    let wrong = 0
    for (let visit = 0; visit < (quick ? 20 : 100); visit++) {
      const [response, took] = await timed(() =>
        fetch(`${victim.url}/`, { signal: AbortSignal.timeout(20_000) }),
      )
      await response.arrayBuffer()
      slowest = Math.max(slowest, took)
      if (response.status !== 200) wrong += 1
      await sleep(50)
    }
    clearInterval(drip)
    const closed = sockets.filter((socket) => socket.destroyed || socket.readyState !== 'open').length
    for (const socket of sockets) socket.destroy()
    return {
      ok: wrong === 0 && slowest < (quick ? 5000 : 500),
      figures: `${count} slow connections (${closed} of them cut off): others answered 200, slowest ${slowest.toFixed(0)} ms, ${wrong} wrong`,
    }
  },
}

export const manyRequests: Row = {
  name: 'memory and descriptors',
  alone: true,
  async run(victim, quick) {
    const total = quick ? 10_000 : 1_000_000
    const requests = ['/', '/api/products', '/api/user', '/nope'].map(
      (path) => `GET ${path} HTTP/1.1\r\nhost: localhost\r\naccept-encoding: br\r\n\r\n`,
    )
    const round = async (count: number) => {
      let done = 0
      for (let turn = 0; done < count; turn++) {
        const request = requests[turn % requests.length] ?? ''
        done += (await runLoad({ port: victim.port, request, connections: 64, seconds: quick ? 0.5 : 5 }))
          .requests
      }
      return done
    }
    const descriptors = () => readdirSync(`/proc/${victim.pid()}/fd`).length
    await round(total / 5)
    await sleep(1500)
    const before = { memory: memory(victim.pid()).now, descriptors: descriptors() }
    const served = await round(total)
    await sleep(1500)
    const after = { memory: memory(victim.pid()).now, descriptors: descriptors() }
    return {
      // A short run is still warming up.
      ok:
        after.memory <= before.memory * (quick ? 1.5 : 1.1) &&
        after.descriptors <= before.descriptors + (quick ? 50 : 5),
      figures: `${served} requests: memory ${before.memory} MB, then ${after.memory} MB; descriptors ${before.descriptors}, then ${after.descriptors}`,
    }
  },
}
