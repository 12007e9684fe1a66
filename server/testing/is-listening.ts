import { connect } from 'node:net'

/** True if a program of this machine accepts connections at the port. */
export const isListening = (port: number) =>
  new Promise<boolean>((answer) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy()
      answer(true)
    })
    socket.on('error', () => answer(false))
  })
