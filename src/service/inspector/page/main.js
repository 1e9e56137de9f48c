// Starts the inspector: connects to serve-mock, and shows what it sends.
import { call, readToken, receiveEvents } from './connection.js'
import { attempt, byId, createQuiet, renderInto } from './dom.js'
import { showExchange } from './exchange.js'
import { setUpFaults, showFaults, startFaults } from './faults.js'
import { createOrderDetails, createOrderFacts, serviceNow, showState, startClock } from './panels.js'
import { createRequestList } from './request-list.js'

let orderId

const showOrder = async () => {
  const [facts, details] = [byId('order-facts'), byId('order-details')]
  const id = orderId
  if (id === undefined) {
    renderInto(facts, null, () => [])
    renderInto(details, null, () => [])
    return
  }
  const { order } = await call('GET', `/order?id=${encodeURIComponent(id)}`)
  if (id !== orderId) return
  if (order === null) {
    renderInto(facts, id, () => [createQuiet(`No order has the id ${id}.`)])
    renderInto(details, null, () => [])
    return
  }
  const now = serviceNow()
  // The time alone changes nothing on the time line.
  renderInto(facts, { order, states: countPast(order, now) }, () => createOrderFacts(order, now))
  const requests = list.listOf(id)
  renderInto(details, { order, requests }, () => createOrderDetails(order, requests, list.open))
}

const countPast = ({ expiresAt, processingAt, finalAt }, now) =>
  [expiresAt, processingAt, finalAt].filter((at) => at !== null && Date.parse(at) <= now).length

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
    list.setOrders(data.orders)
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
