// Servers that misbehave below HTTP or speak HTTP/2.
import { createSecureServer } from 'node:http2'
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

/** A server with HTTP/2 and HTTP/1.1. It refuses each request and reports its version. */
export const openHttp2 = (pair: { key: string; cert: string }, onVersion: (version: string) => void) =>
  openServer(
    createSecureServer({ ...pair, allowHTTP1: true }, (req, res) => {
      onVersion(req.httpVersion)
      res.writeHead(403)
      res.end()
    }),
  )
