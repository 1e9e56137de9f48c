// A transport over node:http, so that a suite can also run over a real socket.
import { Agent, request as send } from 'node:http'
import type { Clock } from '../../src/contract/time.ts'
import { DisconnectedError, type HttpResponse, type Transport } from '../../src/contract/transport.ts'
import { serveOn } from '../../src/server/http-server.ts'
import { isFromInspector } from '../../src/service/inspector.ts'

/** The error for a body that is shorter than announced, with the number of received bytes. */
const cut = (body: string): Error => new Error(`cut after ${body.length} bytes`)

// Node says 'socket hang up' after a normal close, and names the system call after a reset.
const asDisconnected = (error: NodeJS.ErrnoException): Error =>
  error.code === 'ECONNRESET'
    ? new DisconnectedError(error.message === 'socket hang up' ? 'close' : 'reset')
    : error

export const clientOf =
  (origin: string, agent: Agent): Transport =>
  ({ method, path, headers, body, signal }) =>
    new Promise<HttpResponse>((resolve, reject) => {
      const { hostname, port } = new URL(origin)
      const sent = send(
        // `new URL` would normalise the path.
        { agent, hostname, port, method, path, headers, ...(signal === undefined ? {} : { signal }) },
        (response) => {
          let text = ''
          response.setEncoding('latin1').on('data', (chunk: string) => {
            text += chunk
          })
          response.on('error', () => reject(cut(text)))
          response.on('end', () => {
            const responded = Object.entries(response.headers).map(([name, value]) => [name, String(value)])
            const { statusCode: status = 0 } = response
            resolve({ status, headers: Object.fromEntries(responded), body: Buffer.from(text, 'latin1') })
          })
        },
      )
      sent.on('error', (error) => reject(asDisconnected(error)))
      sent.end(body)
    })

/** Puts a socket in front of the transport. */
export const overSocket = async (transport: Transport, clock: Clock) => {
  const listener = await serveOn(transport, {
    ...{ host: '127.0.0.1', port: 0, clock, isFromOwnPage: isFromInspector },
  })
  const agent = new Agent({ keepAlive: true })
  return {
    transport: clientOf(listener.origin, agent),
    close: async () => {
      agent.destroy()
      await listener.close()
    },
  }
}
