// Shows an order: its products, its states on a time line, its requests and its webhooks.
import { create, createButton, createQuiet, createTable } from './dom.js'
import { createDeliveries } from './panels.js'
import { formatTime } from './time.js'

/** `now` is the time of the service, and `open(id)` opens a request. */
export const createOrder = ({ order, requests, now }, open) => [
  create('h3', { textContent: 'Order' }),
  create(
    'dl',
    {},
    ...[
      ['id', order.id],
      ['reference', order.reference],
      ['state', order.state],
      ['total', `${order.total} ${order.wallet}`],
      ...(order.forcedOutcome === null ? [] : [['forced outcome', order.forcedOutcome]]),
    ].flatMap(([name, value]) => [create('dt', { textContent: name }), create('dd', { textContent: value })]),
  ),
  createTable(
    'Products of the order',
    ['SKU', 'Quote', 'Quantity'],
    order.products.map(({ sku, quote, quantity }) => [sku, quote, String(quantity)]),
  ),
  create('h4', { textContent: 'States' }),
  create('ol', { className: 'timeline' }, ...listStates(order, now).map(createState)),
  create('h4', { textContent: 'Requests of this order' }),
  requests.length === 0
    ? createQuiet('No requests are kept.')
    : create(
        'ul',
        { className: 'plain' },
        ...requests.map(({ id, at, method, path, status }) =>
          create(
            'li',
            {},
            createButton(
              `${formatTime(at)} ${status ?? 'none'} ${method} ${path.replace(/\?.*/s, '')}`,
              () => open(id),
              {
                className: 'link',
                'data-key': `request-${id}`,
              },
            ),
          ),
        ),
      ),
  create('h4', { textContent: 'Webhooks of this order' }),
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
