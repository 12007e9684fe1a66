import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { Worker } from 'node:worker_threads'
import { expect, onTestFinished, test } from 'vitest'
import { readConfig } from '../config.ts'
import { freePort } from '../database/free-port.ts'
import { holdPort, portFor } from './port.ts'

const configFor = (port: number, host = '127.0.0.1') => readConfig({ PORT: String(port), HOST: host })

test('a port in use and a foreign address are reported clearly, before anything is written', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await expect(portFor(configFor(port))).rejects.toThrow(`Port ${port} is in use.`)
  server.close()
  await once(server, 'close')
  expect(await portFor(configFor(port))).toBe(port)
  expect(await portFor(configFor(0))).toBeGreaterThan(0)
  await expect(portFor({ ...configFor(port), host: '192.0.2.1' })).rejects.toThrow('HOST=192.0.2.1 is not')
})

/** Connects again and again. In its own thread, so that it also meets a server that listens briefly. */
function startVisitor(port: number) {
  const program = `
    const { connect } = require('node:net')
    const { workerData: counts } = require('node:worker_threads')
    function visit() {
      const socket = connect(${port}, '127.0.0.1')
      socket.on('connect', () => socket.destroy(new Error('accepted')))
      socket.on('error', ({ code }) => {
        counts[code === 'ECONNREFUSED' ? 0 : 1] += 1
        setImmediate(visit)
      })
    }
    visit()`
  const counts = new Int32Array(new SharedArrayBuffer(8))
  const thread = new Worker(program, { eval: true, workerData: counts })
  return { counts: () => ({ refused: counts[0] ?? 0, others: counts[1] ?? 0 }), leave: () => thread.terminate() }
}

test('the port check does not accept a visitor who is waiting for a restart', async () => {
  const config = configFor(await freePort())
  const { counts, leave } = startVisitor(config.port)
  onTestFinished(async () => void (await leave()))
  await expect.poll(() => counts().refused).toBeGreaterThan(0)
  // Many checks, because a visitor could miss a server that listens for less than a millisecond.
  for (let check = 0; check < 300; check++) await portFor(config)
  // The last visit may still be under way.
  await expect.poll(() => counts().refused).toBeGreaterThan(counts().refused)
  expect(counts().others).toBe(0)
})

test('of two clusters that start at once, one gets the port', async () => {
  const config = configFor(await freePort())
  const release = await holdPort(config)
  await expect(holdPort(config)).rejects.toThrow(`Port ${config.port} is in use.`)
  release()
  const releaseAgain = await holdPort(config)
  releaseAgain()
})
