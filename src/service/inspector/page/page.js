// The inspector's page. It asks serve-mock for news twice a second, with the token of its URL's fragment.
// Every text becomes a text node, so no text can become HTML.
import { writeCurl, writeMessage } from './exchange.js'

const byId = (id) => document.getElementById(id)

const create = (tag, properties, ...children) => {
  const element = Object.assign(document.createElement(tag), properties)
  element.append(...children)
  return element
}

const formatTime = (at) => new Date(at).toLocaleTimeString('en-GB')

const joinFacts = (facts) => facts.filter((fact) => fact !== undefined).join(' · ')

/** Returns the data. Throws an error with serve-mock's message. */
const call = async (method, path, document) => {
  const response = await fetch(`/_mock/ui/data${path}`, {
    method,
    headers: { 'content-type': 'application/json', 'x-inspector-token': location.hash.slice(1) },
    body: JSON.stringify(document),
  }).catch(() => {
    throw new Error('serve-mock does not respond.')
  })
  const data = await response.json()
  if (!response.ok) throw Object.assign(new Error(data.message), { status: response.status })
  return data
}

const notify = (text, className) => {
  byId('notice').textContent = text
  byId('notice').className = className
}

/** Runs an action and shows the text that it returns, or why it failed. */
const attempt = async (action) => {
  try {
    const text = await action()
    if (text !== undefined) notify(text, '')
  } catch (error) {
    notify(error.message, 'bad')
  }
}

// The requests, newest first. Until the reader selects one, the newest is shown.

let isFollowing = true

const createRow = ({ id, at, method, path, status, ms, orderId, message, fault }) =>
  create(
    'label',
    { id: `request-${id}` },
    create('input', { type: 'radio', name: 'request', value: id }),
    create('span', { className: status === null || status >= 400 ? 'bad' : '' }, status ?? 'none'),
    ` ${method} ${path}`,
    create(
      'small',
      {},
      joinFacts([formatTime(at), orderId, message, fault && `fault: ${fault}`, `${ms} ms`]),
    ),
  )

/** serve-mock still keeps the requests from the id `oldest` on. */
const showRequests = (requests, oldest) => {
  const rows = byId('rows')
  rows.prepend(...requests.map(createRow).reverse())
  while (rows.lastChild?.control.value < oldest) rows.lastChild.remove()
  filterRows()
  const newest = rows.querySelector('label:not([hidden])')?.control
  if (!isFollowing || newest === undefined || newest.checked) return
  newest.checked = true
  void attempt(() => openExchange(newest.value))
}

const filterRows = () => {
  const words = byId('filter').value.toLowerCase().split(' ')
  for (const row of byId('rows').children) {
    const text = row.textContent.toLowerCase()
    row.hidden = !words.every((word) => text.includes(word))
  }
}

// The selected request and its response.

let selected
let exchange

const openExchange = async (id) => {
  selected = id
  const opened = await call('GET', `/exchange?id=${id}`)
  if (selected !== id) return
  exchange = opened
  byId('reveal').checked = false
  showExchange()
}

const showExchange = () => {
  const { id, at, method, path, status, ms, message, fault, request, response } = exchange
  const isRevealed = byId('reveal').checked
  byId('exchange').hidden = false
  byId('exchange').dataset.id = id
  byId('exchange-title').textContent = `${method} ${path}`
  byId('facts').textContent = joinFacts([
    status === null ? 'No response' : `Status ${status}`,
    message,
    fault && `fault: ${fault}`,
    `${ms} ms`,
    formatTime(at),
  ])
  byId('request').textContent = writeMessage(request, isRevealed)
  byId('response').textContent = response ? writeMessage(response, isRevealed) : describeMissing(status)
}

const describeMissing = (status) =>
  status === null
    ? 'The connection ended without a response.'
    : 'serve-mock failed to respond. Its output says why.'

const copyCurl = async () => {
  const command = writeCurl(location.origin, exchange)
  if (navigator.clipboard === undefined)
    throw new Error('The browser allows copying only on localhost or with TLS.')
  await navigator.clipboard.writeText(command)
  return 'Copied. The command takes the key from $ORDERCTL_API_KEY.'
}

// The faults and the deliveries.

const createButton = (id, text, ariaLabel, action) =>
  create('button', { id, type: 'button', ariaLabel, onclick: () => attempt(action) }, text)

const createFault = ({ id, fault }) =>
  create(
    'li',
    {},
    create('code', {}, fault),
    ' ',
    createButton(`fault-${id}`, 'Remove', `Remove the fault ${fault}`, async () => {
      await call('DELETE', `/faults?id=${id}`)
      byId('fault').focus()
      return `Removed the fault ${fault}.`
    }),
  )

const addFault = async () => {
  const fault = byId('fault').value.trim()
  await call('POST', '/faults', { fault })
  return `Added the fault ${fault}.`
}

const createDelivery = ({ id, orderId, event, url, state, attempts }) =>
  create(
    'li',
    {},
    create('strong', {}, event),
    ' ',
    create('span', { className: state === 'given-up' ? 'bad' : '' }, state),
    ' ',
    createButton(`delivery-${id}`, 'Send again', `Send again: ${event} of ${orderId}`, async () => {
      await call('POST', '/redeliver', { deliveryId: id })
      return 'serve-mock is sending the webhook again.'
    }),
    create('small', {}, `${orderId} → ${url}`),
    create(
      'ol',
      {},
      ...attempts.map(({ at, status, error, ms }) =>
        create('li', {}, joinFacts([formatTime(at), status, error, `${ms} ms`])),
      ),
    ),
  )

/** Does nothing if the items are the same. Keeps the focus on the button with the same id. */
const showList = (list, items, createItem) => {
  const json = JSON.stringify(items)
  if (list.shownJson === json) return
  list.shownJson = json
  const focused = document.activeElement.id
  list.replaceChildren(...items.map(createItem))
  if (items.length === 0) list.append(create('li', { className: 'quiet' }, 'None.'))
  byId(focused)?.focus()
}

// The connection.

const pollMs = 500

/** Ends if serve-mock refuses the token. */
const poll = async () => {
  for (let newest = 0; ; await new Promise((resolve) => setTimeout(resolve, pollMs))) {
    if (document.hidden) continue
    try {
      const { oldest, requests, faults, deliveries } = await call('GET', `/updates?after=${newest}`)
      if (byId('app').hidden) await openApp()
      newest = requests.at(-1)?.id ?? newest
      showRequests(requests, oldest)
      showList(byId('faults'), faults, createFault)
      showList(byId('deliveries'), deliveries, createDelivery)
      showConnection('Connected')
    } catch (error) {
      showConnection(error.message)
      if (error.status !== 401) continue
      byId('app').hidden = true
      byId('locked').hidden = false
      return
    }
  }
}

const openApp = async () => {
  const forms = await call('GET', '/fault-forms')
  const options = forms.map(({ fault, summary, value }) =>
    create('option', { value: fault, label: value === undefined ? summary : `${summary} (${value})` }),
  )
  byId('fault-forms').replaceChildren(...options)
  byId('app').hidden = false
  byId('locked').hidden = true
}

const showConnection = (text) => {
  const connection = byId('connection')
  if (connection.textContent !== text) connection.textContent = text
  connection.className = text === 'Connected' ? '' : 'bad'
}

byId('filter').addEventListener('input', filterRows)
byId('rows').addEventListener('change', ({ target }) => {
  isFollowing = false
  void attempt(() => openExchange(target.value))
})
byId('reveal').addEventListener('change', showExchange)
byId('copy').addEventListener('click', () => attempt(copyCurl))
byId('fault-form').addEventListener('submit', (event) => {
  event.preventDefault()
  void attempt(addFault)
})
addEventListener('hashchange', () => location.reload())
void poll()
