// Real servers for tests of the network transport: bare sockets, HTTP, TLS and a proxy.
import { createServer as createHttpServer, type RequestListener, request as send } from 'node:http'
import { createSecureServer } from 'node:http2'
import { createServer as createHttpsServer } from 'node:https'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

const opened = async (server: Server, host = '127.0.0.1') => {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket.on('error', () => {}))
    socket.once('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  const { port } = server.address() as AddressInfo
  return {
    port,
    origin: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

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
  return { ...(await opened(server)), heard }
}

export const openHttp = (answer: RequestListener, host?: string) => opened(createHttpServer(answer), host)

/** A server with HTTP/2 and HTTP/1.1. It refuses each request and reports its version. */
export const openHttp2 = (pair: { key: string; cert: string }, onVersion: (version: string) => void) =>
  opened(
    createSecureServer({ ...pair, allowHTTP1: true }, (req, res) => {
      onVersion(req.httpVersion)
      res.writeHead(403)
      res.end()
    }),
  )

/** A server that never answers and counts the bytes of each closed connection. */
export const openCounter = async (host: string) => {
  const bytes: number[] = []
  const server = createServer((socket) => {
    socket.resume().once('close', () => bytes.push(socket.bytesRead))
  })
  return { ...(await opened(server, host)), bytes }
}

export const openHttps = (pair: { key: string; cert: string }, answer: RequestListener, host?: string) =>
  opened(createHttpsServer(pair, answer), host)

type ProxyOptions = {
  /** The port that every name leads to. */
  readonly to: number
  /** Answers CONNECT with this instead. */
  readonly status?: number
}

/** A proxy that tunnels and forwards. It records the first line and the login of each request. */
export const openProxy = async ({ to, status = 200 }: ProxyOptions) => {
  const asked: string[] = []
  const logins: (string | undefined)[] = []
  const server = createHttpServer((req, res) => {
    asked.push(`${req.method} ${req.url}`)
    logins.push(req.headers['proxy-authorization'])
    const { pathname, search } = new URL(req.url ?? '')
    const { 'proxy-authorization': _login, ...headers } = req.headers
    const onward = send(
      { host: '127.0.0.1', port: to, method: req.method, path: pathname + search, headers },
      (answer) => {
        res.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(res)
      },
    )
    req.pipe(onward)
  })
  server.on('connect', (req, socket) => {
    asked.push(`CONNECT ${req.url}`)
    logins.push(req.headers['proxy-authorization'])
    if (status !== 200) return socket.end(`HTTP/1.1 ${status} No\r\ncontent-length: 0\r\n\r\n`)
    const onward = connect(to, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
      onward.pipe(socket)
      socket.pipe(onward)
    })
    onward.on('error', () => socket.destroy())
    socket.on('error', () => onward.destroy())
  })
  return { ...(await opened(server)), asked, logins }
}

/** Accepts connections and holds them until `open` forwards them to the port. */
export const openGate = async (to: number) => {
  const waiting = new Set<Socket>()
  let closed = 0
  const server = createServer((socket) => void waiting.add(socket))
  return {
    ...(await opened(server)),
    /** How many connections are held. */
    waiting: () => waiting.size,
    /** How many connections have ended since they were let through. */
    closed: () => closed,
    open: () => {
      for (const socket of waiting) {
        const onward = connect(to, '127.0.0.1')
        onward.on('error', () => socket.destroy()).once('close', () => socket.destroy())
        socket.once('close', () => {
          onward.destroy()
          closed += 1
        })
        socket.pipe(onward).pipe(socket)
      }
    },
  }
}

/** A port without a listener. */
export const closedPort = async (): Promise<number> => {
  const server = await opened(createServer())
  await server[Symbol.asyncDispose]()
  return server.port
}
