// Real servers for tests of the network transport: bare sockets, HTTP, TLS and a proxy.
import { createServer as createHttpServer, type RequestListener, request as send } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

export const openServer = async (server: Server, host = '127.0.0.1') => {
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

export const openHttp = (response: RequestListener, host?: string) =>
  openServer(createHttpServer(response), host)

/** A server that never responds and counts the bytes of each closed connection. */
export const openCounter = async (host: string) => {
  const bytes: number[] = []
  const server = createServer((socket) => {
    socket.resume().once('close', () => bytes.push(socket.bytesRead))
  })
  return { ...(await openServer(server, host)), bytes }
}

export const openHttps = (pair: { key: string; cert: string }, response: RequestListener, host?: string) =>
  openServer(createHttpsServer(pair, response), host)

type ProxyOptions = {
  /** The port that every name leads to. */
  readonly to: number
  /** Responses CONNECT with this instead. */
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
      (response) => {
        res.writeHead(response.statusCode ?? 502, response.headers)
        response.pipe(res)
      },
    )
    req.pipe(onward)
  })
  server.on('connect', (req, socket) => {
    asked.push(`CONNECT ${req.url}`)
    logins.push(req.headers['proxy-authorization'])
    if (status !== 200) return void socket.end(`HTTP/1.1 ${status} No\r\ncontent-length: 0\r\n\r\n`)
    const onward = connect(to, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
      onward.pipe(socket)
      socket.pipe(onward)
    })
    onward.on('error', () => socket.destroy())
    socket.on('error', () => onward.destroy())
  })
  return { ...(await openServer(server)), asked, logins }
}

/** A port without a listener. */
export const closedPort = async (): Promise<number> => {
  const server = await openServer(createServer())
  await server[Symbol.asyncDispose]()
  return server.port
}
