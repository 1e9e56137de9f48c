// Load for an HTTP server: keep-alive connections over bare sockets, with one request in progress on each. On one core,
// it sends twice as many requests as autocannon.
import { connect } from 'node:net'
import { performance } from 'node:perf_hooks'
import type { Server } from './processes.ts'

const connections = 16

type Connection = {
  /** Sends a request as text, and returns the body of its response. */
  readonly send: (request: string) => Promise<string>
  readonly close: () => void
}

/** Undefined until the response is complete. */
const readBody = (response: string): string | Error | undefined => {
  const head = response.indexOf('\r\n\r\n')
  if (head === -1) return undefined
  const length = Number(/\r\ncontent-length: (\d+)/i.exec(response)?.[1])
  if (response.length < head + 4 + length) return undefined
  return response.startsWith('HTTP/1.1 200 ') ? response.slice(head + 4) : new Error(response)
}

const openConnection = (port: number): Promise<Connection> =>
  new Promise((resolve, reject) => {
    let received = ''
    let current = Promise.withResolvers<string>()
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    const fail = (error: Error): void => {
      reject(error)
      current.reject(error)
    }
    socket.setEncoding('latin1').on('data', (text) => {
      received += text
      const body = readBody(received)
      if (body === undefined) return
      received = ''
      if (body instanceof Error) fail(body)
      else current.resolve(body)
    })
    socket.on('error', fail).on('close', () => fail(new Error('the server closed the connection')))
    socket.once('connect', () => {
      const send = (request: string): Promise<string> => {
        current = Promise.withResolvers()
        socket.write(request, 'latin1')
        return current.promise
      }
      resolve({ send, close: () => socket.removeAllListeners('close').destroy() })
    })
  })

export const formatRequest = (line: string, headers: Readonly<Record<string, string>>, body = ''): string => {
  const all = {
    host: '127.0.0.1',
    ...headers,
    'content-length': body.length,
    'content-type': 'application/json',
  }
  return `${line} HTTP/1.1\r\n${Object.entries(all)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')}\r\n${body}`
}

/** Sends all requests, and returns the bodies of the responses in any order. `end` waits for the rest of the work. */
export const runLoad = async (
  { port, cpuMs }: Server,
  requests: readonly string[],
  end: () => Promise<void> = async () => {},
) => {
  const opened = await Promise.all(Array.from({ length: connections }, () => openConnection(port)))
  const bodies: string[] = []
  const unsent = requests.values()
  const cpuBefore = cpuMs()
  const start = performance.now()
  await Promise.all(
    opened.map(async ({ send }) => {
      for (const request of unsent) bodies.push(await send(request))
    }),
  )
  const perSecond = (requests.length * 1000) / (performance.now() - start)
  for (const { close } of opened) close()
  await end()
  const cpuMicroseconds = ((cpuMs() - cpuBefore) * 1000) / requests.length
  return { bodies, perSecond, cpuMicroseconds }
}
