// A bare HTTP server: it parses a JSON body, and returns as many bytes as serve-mock does for the same path.
// CommonJS, because an import of node:http by name also loads its WebSocket (25 ms).
const { createServer } = require('node:http')

const sizes = JSON.parse(process.argv[2] ?? '{}')

const server = createServer((request, response) => {
  let text = ''
  request.on('data', (chunk) => {
    text += chunk
  })
  request.on('end', () => {
    const id = text === '' ? '' : JSON.parse(text).id
    const size = sizes[request.url.split('?')[0]] ?? 0
    const body = JSON.stringify({ data: { id: id ?? 'ord_0', filler: 'x'.repeat(size) } })
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length })
    response.end(body)
  })
})
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`))
