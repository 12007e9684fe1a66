import { expect, test } from 'vitest'
import { coalesce } from './coalesce.ts'
import { runEach } from './run-each.ts'
import { createSemaphore } from './semaphore.ts'

/** Work that records when it starts and ends, and ends when told to. */
function createWork() {
  const log: string[] = []
  const ends = new Map<string, () => void>()
  const work = async (name: string) => {
    log.push(`${name} begins`)
    await new Promise<void>((end) => ends.set(name, end))
    log.push(`${name} ends`)
  }
  const end = async (name: string) => {
    await expect.poll(() => ends.has(name)).toBe(true)
    ends.get(name)?.()
  }
  return { log, work, end }
}

test('calls that arrive while a run is waiting to start share it; later ones do not', async () => {
  const { log, work, end } = createWork()
  let run = 0
  const sync = coalesce(() => work(String(++run)))
  const firstCall = sync('x')
  await expect.poll(() => log).toEqual(['1 begins'])
  const callsDuringRun = Array.from({ length: 10 }, () => sync('x'))
  await end('1')
  await end('2')
  await Promise.all([firstCall, ...callsDuringRun])
  expect(log).toEqual(['1 begins', '1 ends', '2 begins', '2 ends'])
})

test('a semaphore admits some, queues a few more, refuses the rest, and then admits the next', async () => {
  const { log, work, end } = createWork()
  const gate = createSemaphore({ atOnce: 1, maxWaiting: 1, refusal: () => new Error('full') })
  const inside = gate.run(() => work('inside'))
  const waiting = gate.run(() => work('waiting'))
  await expect(gate.run(() => work('refused'))).rejects.toThrow('full')
  await end('inside')
  await end('waiting')
  await Promise.all([inside, waiting])
  expect(log).toEqual(['inside begins', 'inside ends', 'waiting begins', 'waiting ends'])
})

test('one item that fails does not stop those behind it, and all failures are thrown at the end', async () => {
  const done: number[] = []
  const run = async (item: number) => {
    if (item % 2 === 0) throw new Error(`no ${item}`)
    done.push(item)
  }
  const failure = await runEach('numbers', [1, 2, 3, 4, 5], run).catch((error: unknown) => error)
  expect(done).toEqual([1, 3, 5])
  expect(failure).toMatchObject({ message: '2 of 5 numbers failed', errors: [new Error('no 2'), new Error('no 4')] })
})
