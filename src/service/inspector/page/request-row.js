// One row of the list of requests.
import { create } from './dom.js'
import { formatTime } from './time.js'

export const createRow = (item) => {
  const { id, at, ms, method, path, status, orderId, message, fault } = item
  const kind = status === null || status >= 500 ? 'bad' : status >= 400 ? 'warn' : 'good'
  const details = [formatTime(at), `${ms} ms`, orderId, message, fault && `fault: ${fault}`]
  return create(
    'div',
    { id: `request-${id}`, role: 'option', className: 'row' },
    create(
      'div',
      { className: 'line' },
      create('span', { className: `status ${kind}`, textContent: status ?? 'none' }),
      ' ',
      create('span', { className: 'method', textContent: method }),
      ' ',
      create('span', { className: 'path', textContent: path }),
    ),
    create('div', { className: 'line quiet', textContent: details.filter(Boolean).join(' · ') }),
  )
}
