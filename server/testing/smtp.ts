import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import { SMTPServer, type SMTPServerDataStream, type SMTPServerOptions } from 'smtp-server'

type AcceptedMail = { to: string; messageId: string; source: string }

type Faults = {
  /** SMTP code that refuses this recipient. */
  refuse?(to: string): number | undefined
  beforeAnswer?(mail: AcceptedMail, connection: { drop(): void }): Promise<void> | void
  answersTwice?: boolean
}

export async function openSmtp(faults: Faults = {}, options: SMTPServerOptions & { port?: number } = {}) {
  const accepted: AcceptedMail[] = []
  const sockets = new Set<Socket>()
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    logger: false,
    onRcptTo({ address }, _session, done) {
      const code = faults.refuse?.(address)
      done(code ? Object.assign(new Error(`${code} no`), { responseCode: code }) : null)
    },
    async onData(stream, session, done) {
      const source = await read(stream)
      if (source === undefined) return
      const mail = {
        to: session.envelope.rcptTo.map(({ address }) => address).join(),
        messageId: /^message-id: (.+)$/im.exec(source)?.[1]?.trim() ?? '',
        source,
      }
      const socket = [...sockets].find(({ remotePort }) => remotePort === session.remotePort)
      await faults.beforeAnswer?.(mail, { drop: () => socket?.destroy() })
      accepted.push(mail)
      done()
      if (faults.answersTwice) socket?.write('250 OK: message queued\r\n')
    },
    ...options,
  })
  server.on('error', () => {})
  server.server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  server.listen(options.port ?? 0, '127.0.0.1')
  await once(server.server, 'listening')
  const { port } = server.server.address() as AddressInfo

  return {
    port,
    url: `${options.secure ? 'smtps' : 'smtp'}://127.0.0.1:${port}`,
    accepted,
    close() {
      for (const socket of sockets) socket.destroy()
      return new Promise<void>((done) => {
        server.close(done)
      })
    },
  }
}

/** Undefined when the sender disconnected midway. */
async function read(stream: SMTPServerDataStream) {
  const chunks: Buffer[] = []
  try {
    for await (const chunk of stream) chunks.push(chunk as Buffer)
  } catch {
    return undefined
  }
  return Buffer.concat(chunks).toString('utf8')
}
