// Shows one request with its response.
import { call } from './api.js'
import { createBody, createHeaders } from './body.js'
import { writeCurl } from './curl.js'
import { byId, create, createButton, notify } from './dom.js'
import { formatMoment } from './time.js'

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
