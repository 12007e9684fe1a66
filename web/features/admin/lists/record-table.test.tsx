// @vitest-environment happy-dom
import { QueryClientProvider } from '@tanstack/react-query'
import { useState } from 'react'
import { expect, onTestFinished, test, vi } from 'vitest'
import { purchasesAdmin } from '#contract/selling/purchases-admin.ts'
import { createQueryClient } from '#web/api/query-client.ts'
import { useCall } from '#web/api/use-call.ts'
import { perform, render } from '#web/testing/render.tsx'
import { usePages } from './record-table.tsx'

type TestRecord = { id: string; status: string }
const createRecords = (count: number, firstNumber = 0) =>
  Array.from({ length: count }, (_row, index): TestRecord => ({ id: `p${firstNumber + index}`, status: 'active' }))

function stubServer(records: TestRecord[]) {
  const server = { rows: records, calls: [] as string[], responseDelay: Promise.resolve() }
  vi.stubGlobal('fetch', async (address: string, init: RequestInit) => {
    server.calls.push(`${init.method} ${address}`)
    await server.responseDelay
    const url = new URL(address, 'http://shop')
    if (init.method === 'PATCH') return Response.json({})
    const limit = Number(url.searchParams.get('limit'))
    const cursor = url.searchParams.get('cursor')
    // Without a cursor, no row is found, and the page starts at 0.
    const start = server.rows.findIndex(({ id }) => id === cursor) + 1
    const items = server.rows.slice(start, start + limit)
    const isLastPage = start + limit >= server.rows.length
    if (isLastPage) return Response.json(items)
    url.searchParams.set('cursor', items.at(-1)?.id ?? '')
    return Response.json(items, { headers: { link: `<${url.pathname}${url.search}>; rel="next"` } })
  })
  onTestFinished(() => void vi.unstubAllGlobals())
  return server
}

async function openList() {
  const client = createQueryClient()
  const state = { rows: [] as string[], isLoading: true }
  const buttons = {
    loadMore: () => Promise.resolve<unknown>(undefined),
    cancel: (_id: string) => Promise.resolve<unknown>(undefined),
    search: (_q: string) => {},
  }
  function List() {
    const [q, setQ] = useState('')
    const query = usePages(purchasesAdmin.list, { q })
    const call = useCall(purchasesAdmin.cancel, { refreshes: [purchasesAdmin.list] })
    const rows = query.data?.pages.flatMap(({ items }) => items.map(({ id, status }) => `${id} ${status}`))
    Object.assign(state, { rows: rows ?? [], isLoading: query.isFetching })
    Object.assign(buttons, {
      loadMore: query.fetchNextPage,
      cancel: (id: string) => call.mutateAsync({ id }),
      search: setQ,
    })
    return null
  }
  await render(
    <QueryClientProvider client={client}>
      <List />
    </QueryClientProvider>,
  )
  const waitUntilLoaded = async () => {
    do await perform(() => new Promise((resolve) => setTimeout(resolve, 5)))
    while (state.isLoading)
  }
  await waitUntilLoaded()
  return {
    state,
    waitUntilLoaded,
    loadMore: async () => {
      await perform(() => buttons.loadMore())
      await waitUntilLoaded()
    },
    cancel: async (id: string) => {
      await perform(() => buttons.cancel(id))
      await waitUntilLoaded()
    },
    search: (q: string) => perform(() => buttons.search(q)),
  }
}

test('pages load one after another, each starting after the previous page’s last row', async () => {
  const server = stubServer(createRecords(120))
  const list = await openList()
  expect(list.state.rows).toHaveLength(50)
  await list.loadMore()
  await list.loadMore()
  expect(list.state.rows).toHaveLength(120)
  expect(new Set(list.state.rows).size).toBe(120)
  expect(server.calls.slice(1)).toEqual([
    'GET /api/admin/purchases?limit=50&cursor=p49',
    'GET /api/admin/purchases?limit=50&cursor=p99',
  ])
})

test('after a change, every page that was loaded is loaded again, in order', async () => {
  const server = stubServer(createRecords(120))
  const list = await openList()
  await list.loadMore()
  server.calls.length = 0
  server.rows = server.rows.map((row) => (row.id === 'p60' ? { ...row, status: 'cancelled' } : row))
  await list.cancel('p60')
  expect(server.calls).toEqual([
    'PATCH /api/admin/purchases/p60/cancel',
    'GET /api/admin/purchases?limit=50',
    'GET /api/admin/purchases?limit=50&cursor=p49',
  ])
  expect(list.state.rows).toHaveLength(100)
  expect(list.state.rows[60]).toBe('p60 cancelled')
})

test('a row that a change removes from the list disappears, and the next rows move up', async () => {
  const server = stubServer(createRecords(60))
  const list = await openList()
  server.rows = server.rows.filter(({ id }) => id !== 'p3')
  await list.cancel('p3')
  expect(list.state.rows).toHaveLength(50)
  expect(list.state.rows.slice(2, 4)).toEqual(['p2 active', 'p4 active'])
})

test('while a new search loads, the previous rows stay', async () => {
  const server = stubServer(createRecords(60))
  const list = await openList()
  const { promise, resolve } = Promise.withResolvers<void>()
  server.responseDelay = promise
  await list.search('ada')
  expect(list.state).toMatchObject({ isLoading: true, rows: { length: 50 } })
  server.rows = createRecords(1, 7)
  resolve()
  await list.waitUntilLoaded()
  expect(list.state.rows).toEqual(['p7 active'])
})
