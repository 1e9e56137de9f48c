// Shows one request with its response, and writes it as a curl command for a POSIX shell.

import { createBody, createHeaders } from './body.js'
import { call } from './connection.js'
import { byId, create, createButton, formatMoment, notify } from './dom.js'

let loading = new AbortController()

/** Returns the exchange, or undefined if another was selected meanwhile. */
export const showExchange = async (id) => {
  loading.abort()
  const own = new AbortController()
  loading = own
  let exchange
  try {
    exchange = await call('GET', `/exchange?id=${id}`, undefined, own.signal)
  } catch (error) {
    if (own.signal.aborted) return undefined
    throw error
  }
  byId('exchange-title').textContent = `${exchange.method} ${exchange.path}`
  byId('exchange-body').dataset.id = id
  byId('exchange-body').replaceChildren(...createDetails(exchange))
  return exchange
}

const createDetails = (exchange) => {
  const { at, ms, status, message, fault, request, response } = exchange
  const facts = [
    status === null ? 'No response' : `Status ${status}`,
    `${ms} ms`,
    formatMoment(at),
    message,
    fault && `fault: ${fault}`,
  ]
  return [
    create('p', { textContent: facts.filter(Boolean).join(' · ') }),
    create(
      'p',
      {},
      createButton('Copy as curl', () => copy(writeCurl(location.origin, exchange))),
    ),
    create('h3', { textContent: 'Request' }),
    createHeaders(request.headers),
    ...createBody(request.body, 'Request body'),
    create('h3', { textContent: 'Response' }),
    ...(response === null
      ? [create('p', { textContent: describeMissing(status) })]
      : [createHeaders(response.headers), ...createBody(response.body, 'Response body')]),
  ]
}

const describeMissing = (status) =>
  status === null
    ? 'The connection ended without a response.'
    : 'serve-mock failed to respond. Its output says why.'

const copy = async (text) => {
  try {
    await navigator.clipboard.writeText(text)
    notify('Copied. The command takes the key from $ORDERCTL_API_KEY.')
  } catch {
    // Only pages of this machine or with TLS may use the clipboard.
    const area = create('textarea', { value: text, readOnly: true, rows: 5, 'aria-label': 'Command' })
    byId('exchange-body').querySelector('textarea')?.remove()
    byId('exchange-body').prepend(area)
    area.select()
    notify('The browser does not let this page copy. Copy the selected command yourself.')
  }
}

// The key is $ORDERCTL_API_KEY. curl sets these headers itself.
const omitted = new Set([
  'accept-encoding',
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'te',
  'transfer-encoding',
])

const writeCurl = (origin, { method, path, request: { headers, body } }) => {
  const words = ['curl', '-sS', '--globoff', '--path-as-is']
  if (method === 'HEAD') words.push('--head')
  else if (method !== 'GET') words.push('-X', quote(method))
  words.push(quote(`${origin}${path}`))
  for (const [name, value] of headers) {
    if (!omitted.has(name)) words.push('-H', writeHeader(name, value))
  }
  if (body.size === 0) return words.join(' ')
  // curl would add a content type of its own.
  if (!headers.some(([name]) => name === 'content-type')) words.push('-H', quote('content-type:'))
  // Pasted control characters are keys to a terminal.
  const isPlain = body.text !== undefined && !/[\0-\x09\x0b-\x1f\x7f-\x9f]/.test(body.text)
  if (isPlain) return [...words, '--data-raw', quote(body.text)].join(' ')
  const base64 = body.base64 ?? encodeBase64(body.text)
  return `echo ${base64} | base64 -d | ${[...words, '--data-binary', '@-'].join(' ')}`
}

const writeHeader = (name, value) => {
  if (name === 'x-api-key') return '"x-api-key: $ORDERCTL_API_KEY"'
  if (name === 'authorization') return '"authorization: Bearer $ORDERCTL_API_KEY"'
  return quote(value === '' ? `${name};` : `${name}: ${value}`)
}

const quote = (text) => (/^[\w/.:=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`)

const encodeBase64 = (text) =>
  btoa(Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join(''))
