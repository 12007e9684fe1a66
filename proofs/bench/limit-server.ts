import { createServer } from 'node:http'

/** A bare node:http server that writes one ready-made buffer: Node cannot answer for less. */
process.once('message', ({ body, headers }: { body: string; headers: string[] }) => {
  const bytes = Buffer.from(body, 'base64')
  const server = createServer((_request, response) => {
    response.writeHead(200, headers)
    response.end(bytes)
  })
  server.listen(0, '127.0.0.1', () => process.send?.(server.address()))
})
