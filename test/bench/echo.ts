// What is compared with: a bare node:http server that reads JSON and answers with as much JSON as the service does.
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** The lengths of the service's answers, by path. */
const sizes: Readonly<Record<string, number>> = JSON.parse(process.argv[2] ?? '{}')
const id = 'ord_0000000000000000'
const emptyAnswer = JSON.stringify({ message: 'Echo.', data: { id, echo: {}, filler: '' } }).length
const filler = 'x'.repeat(Math.max(0, ...Object.values(sizes)))

const answer = (res: ServerResponse, url: string, text: string): void => {
  const query = url.indexOf('?')
  const size = sizes[query === -1 ? url : url.slice(0, query)] ?? 0
  const echo: unknown = text === '' ? {} : JSON.parse(text)
  const missing = Math.max(0, size - emptyAnswer - text.length)
  const body = JSON.stringify({ message: 'Echo.', data: { id, echo, filler: filler.slice(0, missing) } })
  res.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
  res.end(body)
}

const server = createServer((req, res) => {
  let text = ''
  req.on('data', (chunk: Buffer) => {
    text += chunk.toString()
  })
  req.on('end', () => answer(res, req.url ?? '', text))
})
server.listen(0, '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
})
