// Webhook receivers on free ports.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createSocketServer, type Socket } from 'node:net'

type Received = Pick<IncomingMessage, 'method' | 'url' | 'headers'> & { readonly body: string }

type Answer = number | ((response: ServerResponse) => void)

/** Responds with each of `responses` in turn, and then repeats the last one. */
export const openReceiver = async (...answers: Answer[]) => {
  const received: Received[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request.setEncoding('utf8')) body += chunk
    const { method, url, headers } = request
    received.push({ method, url, headers, body })
    const answer = answers[Math.min(received.length, answers.length) - 1] ?? 200
    if (typeof answer === 'number') response.writeHead(answer).end()
    else answer(response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    received,
    port,
    url: `http://127.0.0.1:${port}/hook?a=1`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** A TCP server, for responses that an HTTP server cannot send. */
export const openSocket = async (talk: (socket: Socket) => void) => {
  const sockets: Socket[] = []
  const server = createSocketServer((socket) => {
    sockets.push(socket.on('error', () => {}).resume())
    talk(socket)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    port,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
