import { createServer, type Socket } from 'node:net'
import { openServer } from '../support/network/client-servers.ts'

/** A server that calls `talk` after each complete request. */
export const openTalker = async (talk: (socket: Socket) => void) => {
  const heard: string[] = []
  const server = createServer((socket) => {
    let text = ''
    socket.setEncoding('latin1').on('data', (chunk: Buffer | string) => {
      text += chunk
      const [head = '', body] = text.split('\r\n\r\n')
      if (body === undefined || body.length < Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0)) return
      heard.push(text)
      text = ''
      talk(socket)
    })
  })
  return { ...(await openServer(server)), heard }
}
