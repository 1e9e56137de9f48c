// Starts the inspector: connects to serve-mock, and shows what it sends.
import { call, readToken } from './api.js'
import { attempt, byId, create, createQuiet, renderInto } from './dom.js'
import { showExchange } from './exchange.js'
import { setUpFaults, showFaults, startFaults } from './faults.js'
import { createOrder } from './order.js'
import { serviceNow, showState, startClock } from './panels.js'
import { createRequestList } from './request-list.js'
import { receiveEvents } from './stream.js'

let orderId

const showOrder = async () => {
  const place = byId('order-body')
  const id = orderId
  if (id === undefined) {
    renderInto(place, null, () => [])
    return
  }
  const { order } = await call('GET', `/order?id=${encodeURIComponent(id)}`)
  if (id !== orderId) return
  if (order === null)
    renderInto(place, id, () => [
      create('h3', { textContent: 'Order' }),
      createQuiet(`No order has the id ${id}.`),
    ])
  else {
    const shown = { order, requests: list.listOf(id), now: serviceNow() }
    // The time alone changes nothing on the time line.
    renderInto(place, { ...shown, now: undefined, states: countPast(shown) }, () =>
      createOrder(shown, list.open),
    )
  }
}

const countPast = ({ order, now }) =>
  [order.expiresAt, order.processingAt, order.finalAt].filter((at) => at !== null && Date.parse(at) <= now)
    .length

const openOrder = async (id) => {
  orderId = id
  byId('exchange-title').textContent = 'Order'
  byId('exchange-body').replaceChildren()
  await showOrder()
  byId('exchange-title').focus()
}

const openExchange = async (id, isOpened) => {
  const exchange = await showExchange(id)
  if (exchange === undefined) return
  orderId = exchange.orderId
  await showOrder()
  if (isOpened) byId('exchange-title').focus()
}

const list = createRequestList((id, isOpened) => void attempt(() => openExchange(id, isOpened)))

const onEvent = (name, data) => {
  if (name === 'setup') {
    list.clear()
    setUpFaults(data)
  } else if (name === 'requests') {
    list.add(data)
    if (data.requests.some((request) => request.orderId === orderId)) void attempt(showOrder)
  } else if (name === 'state') {
    showState(data, (id) => attempt(() => openOrder(id)))
    showFaults(data.faults)
    if (orderId !== undefined) void attempt(showOrder)
  }
}

const statuses = {
  connected: 'Connected',
  disconnected: 'Disconnected. Reconnecting…',
  refused: 'Not connected',
}

const onStatus = (status) => {
  if (byId('connection').textContent !== statuses[status]) byId('connection').textContent = statuses[status]
  byId('connection').className = status
  const isRefused = status === 'refused'
  if (isRefused)
    lock('serve-mock refused the token of this URL. Open the URL that it printed when it started.')
  else {
    byId('app').hidden = false
    byId('locked').hidden = true
  }
}

const lock = (reason) => {
  byId('app').hidden = true
  byId('locked').hidden = false
  byId('locked-reason').textContent = reason
}

addEventListener('hashchange', () => location.reload())
if (readToken() === '') lock('This URL has no token. Open the URL that serve-mock printed when it started.')
else {
  startClock()
  startFaults()
  void receiveEvents(onEvent, onStatus)
}
