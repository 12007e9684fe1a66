import { once } from 'node:events'
import { type AddressInfo, createServer, Server } from 'node:net'
import { expect, test, vi } from 'vitest'
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

test('the port check does not accept a visitor who is waiting for a restart', async () => {
  const config = configFor(await freePort())
  const listen = vi.spyOn(Server.prototype, 'listen')
  await portFor(config)
  expect(listen.mock.calls.map(([port]) => port)).not.toContain(config.port)
  expect(listen).toHaveBeenCalledOnce()
  listen.mockRestore()
})

test('of two clusters that start at once, one gets the port', async () => {
  const config = configFor(await freePort())
  const release = await holdPort(config)
  await expect(holdPort(config)).rejects.toThrow(`Port ${config.port} is in use.`)
  release()
  const releaseAgain = await holdPort(config)
  releaseAgain()
})
