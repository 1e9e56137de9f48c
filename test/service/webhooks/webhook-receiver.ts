// Webhook receivers on free ports.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createSocketServer, type Socket } from 'node:net'
import { openServer } from '../../support/network/client-servers.ts'

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
  const opened = await openServer(server)
  return { ...opened, received, url: `${opened.origin}/hook?a=1` }
}

/** A TCP server, for responses that an HTTP server cannot send. */
export const openSocket = (talk: (socket: Socket) => void) =>
  openServer(createSocketServer((socket) => talk(socket.resume())))
