// The target of --forward-to. It can be down, and keeps what it accepted.
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

type Forwarded = { readonly headers: IncomingHttpHeaders; readonly body: string }

/** How the target refuses while it is down. */
type Outage = 'status' | 'reset'

export const openTarget = async () => {
  const accepted: Forwarded[] = []
  let outage: { readonly how: Outage; left: number } | undefined
  const server = createServer(async (request, response) => {
    let body = ''
    try {
      for await (const chunk of request.setEncoding('utf8')) body += chunk
    } catch {
      // The listener was killed while it sent.
      return
    }
    if (outage !== undefined) {
      const { how } = outage
      outage.left -= 1
      if (outage.left <= 0) outage = undefined
      if (how === 'reset') request.socket.resetAndDestroy()
      else response.writeHead(503).end()
      return
    }
    accepted.push({ headers: request.headers, body })
    response.writeHead(200).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    accepted,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    /** Refuses the next attempts. */
    goDown: (how: Outage, attempts: number): void => {
      outage = { how, left: attempts }
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
