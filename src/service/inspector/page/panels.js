// What the page shows beside the requests: the clock, orders, webhook deliveries, wallets and stock.
import { call } from './connection.js'
import {
  attempt,
  byId,
  create,
  createButton,
  createFacts,
  createList,
  createQuiet,
  createTable,
  formatMoment,
  formatSpan,
  formatTime,
  notify,
  renderInto,
} from './dom.js'

/** The service's clock minus the clock of this machine. */
let aheadMs = 0

export const serviceNow = () => Date.now() + aheadMs

const showClock = () => {
  const now = serviceNow()
  byId('clock').textContent = formatMoment(now)
  byId('clock').setAttribute('datetime', new Date(now).toISOString())
}

export const startClock = () => {
  setInterval(showClock, 1_000)
  byId('clock-form').addEventListener('submit', (event) => {
    event.preventDefault()
    void attempt(async () => {
      const advance = byId('advance').value.trim()
      await call('POST', '/clock', { advance })
      notify(`Advanced the clock by ${advance}.`)
    })
  })
}

/** `openOrder(id)` shows an order. */
export const showState = ({ now, clockOffsetMs, deliveries, orders, wallets, stock }, openOrder) => {
  aheadMs = now - Date.now()
  byId('clock-offset').textContent = clockOffsetMs === 0 ? '' : `advanced by ${formatSpan(clockOffsetMs)}`
  showClock()
  renderInto(byId('deliveries'), deliveries, (list) => createDeliveries(list, 'panel'))
  renderInto(byId('orders'), orders, (list) => createOrders(list, openOrder))
  renderInto(byId('wallets'), wallets, (list) => [
    createTable(
      'Wallets',
      ['Currency', 'Balance', 'At start'],
      list.map(({ currency, balance, opening }) => [currency, format(balance), format(opening)]),
    ),
  ])
  renderInto(byId('stock'), stock, (list) => [
    list.length === 0
      ? createQuiet('No product has limited stock.')
      : createTable(
          'Limited stock',
          ['SKU', 'Left'],
          list.map(({ sku, remaining }) => [sku, format(remaining)]),
        ),
  ])
}

const format = (number) => number.toLocaleString('en-US', { maximumFractionDigits: 3 })

/** `place` distinguishes the buttons of two lists on one page. */
const createDeliveries = (deliveries, place) =>
  deliveries.length === 0
    ? [createQuiet('None.')]
    : [createList(deliveries.map((each) => createDelivery(each, place)))]

const createDelivery = ({ id, orderId, event, url, state, attempts }, place) => [
  create('strong', { textContent: event }),
  ' ',
  create('span', { className: `status ${deliveryKinds[state]}`, textContent: state }),
  ' ',
  createButton('Send again', () => sendAgain(id), {
    'data-key': `${place}-${id}`,
    'aria-label': `Send again: ${event} of ${orderId}`,
  }),
  create('div', { className: 'quiet wrap', textContent: `${orderId} → ${url}` }),
  create('ol', {}, ...attempts.map(createAttempt)),
]

const deliveryKinds = { delivered: 'good', pending: 'warn', 'given-up': 'bad' }

const createAttempt = ({ at, status, error, ms }) =>
  create('li', {
    textContent: [formatTime(at), status, error, `${ms} ms`].filter((each) => each !== undefined).join(' · '),
  })

const sendAgain = async (deliveryId) => {
  await call('POST', '/redeliver', { deliveryId })
  notify('serve-mock is sending the webhook again.')
}

const createOrders = (orders, openOrder) =>
  orders.length === 0
    ? [createQuiet('None.')]
    : [
        createList(
          orders.map(({ id, reference, state, total, wallet }) => [
            createButton(reference, () => openOrder(id), { className: 'link', 'data-key': id }),
            create('div', { className: 'quiet wrap', textContent: `${state} · ${total} ${wallet} · ${id}` }),
          ]),
        ),
      ]

/** What an order is, and its states on a time line. `now` is the time of the service. */
export const createOrderFacts = (order, now) => [
  createFacts([
    ['order', order.id],
    ['reference', order.reference],
    ['state', order.state],
    ['total', `${order.total} ${order.wallet}`],
    ...(order.forcedOutcome === null ? [] : [['forced outcome', order.forcedOutcome]]),
  ]),
  create('ol', { className: 'timeline' }, ...listStates(order, now).map(createState)),
]

/** `open(id)` opens a request. */
export const createOrderDetails = (order, requests, open) => [
  create('h3', { textContent: 'Products of the order' }),
  createTable(
    'Products of the order',
    ['SKU', 'Quote', 'Quantity'],
    order.products.map(({ sku, quote, quantity }) => [sku, quote, String(quantity)]),
  ),
  create('h3', { textContent: 'Requests of the order' }),
  requests.length === 0
    ? createQuiet('No requests are kept.')
    : createList(
        requests.map(({ id, at, method, path, status }) => {
          const name = `${formatTime(at)} ${status ?? 'none'} ${method} ${path.replace(/\?.*/s, '')}`
          return [createButton(name, () => open(id), { className: 'link', 'data-key': `request-${id}` })]
        }),
      ),
  create('h3', { textContent: 'Webhooks of the order' }),
  ...createDeliveries(order.deliveries, 'order'),
]

const createState = ({ name, at, isReached }) =>
  create(
    'li',
    { className: isReached ? 'reached' : '' },
    create('strong', { textContent: name }),
    ' ',
    create('time', { datetime: at, textContent: formatTime(Date.parse(at)) }),
    isReached ? undefined : ' (expected)',
  )

const listStates = ({ state, createdAt, expiresAt, confirmedAt, processingAt, finalAt }, now) => {
  const isPast = (at) => Date.parse(at) <= now
  const created = { name: 'created', at: createdAt, isReached: true }
  if (confirmedAt === null)
    return [
      created,
      { name: isPast(expiresAt) ? 'expired' : 'expires', at: expiresAt, isReached: isPast(expiresAt) },
    ]
  const isSettled = !['created', 'confirmed', 'processing'].includes(state)
  const states = [created, { name: 'confirmed', at: confirmedAt, isReached: true }]
  // A forced outcome ends the order before it is processed.
  if (processingAt < finalAt)
    states.push({ name: 'processing', at: processingAt, isReached: isSettled || isPast(processingAt) })
  return [...states, { name: isSettled ? state : 'final state', at: finalAt, isReached: isSettled }]
}
