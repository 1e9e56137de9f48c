// The panels beside the requests: clock, webhook deliveries, orders, wallets and stock.
import { call } from './api.js'
import { attempt, byId, create, createButton, createQuiet, createTable, notify, renderInto } from './dom.js'
import { formatMoment, formatSpan, formatTime } from './time.js'

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
export const createDeliveries = (deliveries, place) =>
  deliveries.length === 0
    ? [createQuiet('None.')]
    : [create('ul', { className: 'plain cards' }, ...deliveries.map((each) => createDelivery(each, place)))]

const createDelivery = ({ id, orderId, event, url, state, attempts }, place) =>
  create(
    'li',
    {},
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
  )

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
        create(
          'ul',
          { className: 'plain cards' },
          ...orders.map(({ id, reference, state, total, wallet }) =>
            create(
              'li',
              {},
              createButton(reference, () => openOrder(id), { className: 'link', 'data-key': id }),
              create('div', {
                className: 'quiet wrap',
                textContent: `${state} · ${total} ${wallet} · ${id}`,
              }),
            ),
          ),
        ),
      ]
