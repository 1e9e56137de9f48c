// The list of requests, newest first. The browser draws only the rows in view, so that a long list stays fast.
import { byId, create, formatTime } from './dom.js'

/**
 * `onSelect(id, isOpened)` is called when the selection moves, and with `isOpened` if the reader wants to go to the
 * request. Until the reader selects a request, the newest is selected.
 */
export const createRequestList = (onSelect) => {
  const [box, rows] = [byId('list'), byId('rows')]
  const count = byId('count')
  /** Each with its row, the oldest first. */
  const listed = new Map()
  let orders = new Map()
  /** What arrived during a pause. */
  let waiting
  let selected
  let isFollowing = true

  const listShown = () => [...rows.children].filter((row) => !row.hidden)

  const filter = () => {
    const words = byId('filter').value.toLowerCase().split(/\s+/).filter(Boolean)
    for (const { row } of listed.values()) {
      const text = row.textContent.toLowerCase()
      row.hidden = !words.every((word) => text.includes(word))
    }
    const total = `${listed.size} ${listed.size === 1 ? 'request' : 'requests'}`
    const part = words.length === 0 ? '' : `${listShown().length} of `
    count.textContent = `${part}${total}${waiting === undefined ? '' : ', paused'}`
  }

  const select = (row, isOpened) => {
    if (row === undefined) return
    selected?.setAttribute('aria-selected', false)
    selected = row
    row.setAttribute('aria-selected', true)
    box.setAttribute('aria-activedescendant', row.id)
    row.scrollIntoView({ block: 'nearest' })
    onSelect(Number(row.dataset.id), isOpened)
  }

  const add = ({ oldest, requests }) => {
    const added = requests.map((item) => {
      const row = createRow(item)
      listed.set(item.id, { item, row })
      describe(row, item, orders)
      return row
    })
    rows.prepend(...added.reverse())
    for (const [id, { row }] of listed) {
      if (id >= oldest) break
      row.remove()
      listed.delete(id)
    }
    filter()
    if (isFollowing && rows.firstChild !== selected) select(listShown()[0], false)
  }

  byId('filter').addEventListener('input', filter)
  byId('pause').addEventListener('click', () => {
    const missed = waiting
    waiting = missed === undefined ? [] : undefined
    byId('pause').setAttribute('aria-pressed', missed === undefined)
    for (const each of missed ?? []) add(each)
    filter()
  })
  rows.addEventListener('click', (event) => {
    isFollowing = false
    // On a narrow screen, the request is below the list.
    select(event.target.closest('.row') ?? undefined, matchMedia('(max-width: 44rem)').matches)
  })
  box.addEventListener('keydown', (event) => {
    const shown = listShown()
    const current = shown.indexOf(selected)
    const page = Math.max(1, Math.floor(box.clientHeight / (shown[0]?.offsetHeight ?? 1)) - 1)
    const last = shown.length - 1
    const target = {
      ArrowDown: Math.min(last, current + 1),
      ArrowUp: Math.max(0, current - 1),
      PageDown: Math.min(last, current + page),
      PageUp: Math.max(0, current - page),
      Home: 0,
      End: last,
      Enter: current,
      ' ': current,
    }[event.key]
    if (target === undefined || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    isFollowing = false
    select(shown[target], event.key === 'Enter' || event.key === ' ')
  })

  return {
    /** `oldest` is the first id that serve-mock still keeps. `requests` begin with the oldest. */
    add: (event) => (waiting === undefined ? add(event) : waiting.push(event)),
    clear: () => {
      listed.clear()
      rows.replaceChildren()
      if (waiting !== undefined) waiting = []
      filter()
    },
    /** Rows show the present state of their orders. */
    setOrders: (list) => {
      orders = new Map(list.map((order) => [order.id, order]))
      for (const { item, row } of listed.values()) describe(row, item, orders)
    },
    listOf: (orderId) =>
      [...listed.values()]
        .map(({ item }) => item)
        .filter((item) => item.orderId === orderId)
        .reverse(),
    open: (id) => {
      isFollowing = false
      byId('filter').value = ''
      filter()
      select(listed.get(id)?.row, true)
    },
  }
}

const createRow = ({ id, method, path, status }) => {
  const kind = status === null || status >= 500 ? 'bad' : status >= 400 ? 'warn' : 'good'
  const line = create(
    'div',
    { className: 'line' },
    create('span', { className: `status ${kind}`, textContent: status ?? 'none' }),
    ' ',
    create('span', { className: 'method', textContent: method }),
    ' ',
    create('span', { className: 'path', textContent: path }),
  )
  const row = { id: `request-${id}`, role: 'option', className: 'row', 'data-id': id, 'aria-selected': false }
  return create('div', row, line, create('div', { className: 'line quiet' }))
}

const describe = (row, { at, ms, orderId, message, fault }, orders) => {
  const { reference, state } = orders.get(orderId) ?? { reference: orderId }
  const facts = [formatTime(at), state, reference, message, fault && `fault: ${fault}`, `${ms} ms`]
  const text = facts.filter(Boolean).join(' · ')
  if (row.lastChild.textContent !== text) row.lastChild.textContent = text
}
