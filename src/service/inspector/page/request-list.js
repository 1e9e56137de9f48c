// The list of requests, newest first. Only the rows in view exist, so that a long list stays fast.
import { byId } from './dom.js'
import { createRow } from './request-row.js'

const spareRows = 5

/** `onSelect(id, isOpened)` is called when the selection moves, and with `isOpened` if the reader wants to go to the request. */
export const createRequestList = (onSelect) => {
  const [box, rows] = [byId('list'), byId('rows')]
  const elements = new Map()
  let all = []
  let shown = []
  let waiting
  let selectedId

  const rowHeight = () => Number.parseFloat(getComputedStyle(document.documentElement).fontSize) * 3

  const draw = () => {
    const height = rowHeight()
    const first = Math.max(0, Math.floor(box.scrollTop / height) - spareRows)
    const last = Math.ceil((box.scrollTop + box.clientHeight) / height) + spareRows
    const visible = new Map(shown.slice(first, last).map((item, index) => [item.id, first + index]))
    // A screen reader reads the selected row, so it always exists.
    const selected = shown.findIndex(({ id }) => id === selectedId)
    if (selected !== -1) visible.set(selectedId, selected)
    for (const [id, element] of elements) {
      if (visible.has(id)) continue
      element.remove()
      elements.delete(id)
    }
    const sorted = [...visible].sort(([, one], [, other]) => one - other)
    for (const [place, [id, index]] of sorted.entries()) {
      if (!elements.has(id)) elements.set(id, createRow(shown[index]))
      const element = elements.get(id)
      if (rows.children[place] !== element) rows.insertBefore(element, rows.children[place] ?? null)
      element.style.transform = `translateY(${index * height}px)`
      element.setAttribute('aria-setsize', shown.length)
      element.setAttribute('aria-posinset', index + 1)
      element.setAttribute('aria-selected', id === selectedId)
    }
    rows.style.height = `${shown.length * height}px`
    if (selected === -1) box.removeAttribute('aria-activedescendant')
    else box.setAttribute('aria-activedescendant', `request-${selectedId}`)
  }

  const show = () => {
    const words = byId('filter').value.toLowerCase().split(/\s+/).filter(Boolean)
    const matches = ({ status, method, path, orderId, message, fault }) => {
      const text = [status, method, path, orderId, message, fault].join(' ').toLowerCase()
      return words.every((word) => text.includes(word))
    }
    const before = shown
    shown = words.length === 0 ? all : all.filter(matches)
    // Keeps the rows in view in their place if the reader has scrolled down.
    const anchor = box.scrollTop > 0 ? shown.findIndex(({ id }) => id === before[0]?.id) : 0
    rows.style.height = `${shown.length * rowHeight()}px`
    if (anchor > 0) box.scrollTop += anchor * rowHeight()
    const note = waiting === undefined ? '' : ', paused'
    const total = `${all.length} ${all.length === 1 ? 'request' : 'requests'}`
    byId('count').textContent = `${words.length === 0 ? '' : `${shown.length} of `}${total}${note}`
    draw()
  }

  const select = (index, isOpened) => {
    const item = shown[index]
    if (item === undefined) return
    selectedId = item.id
    const [top, height] = [index * rowHeight(), rowHeight()]
    if (top < box.scrollTop) box.scrollTop = top
    else if (top + height > box.scrollTop + box.clientHeight) box.scrollTop = top + height - box.clientHeight
    draw()
    onSelect(item.id, isOpened)
  }

  box.addEventListener('scroll', draw)
  new ResizeObserver(draw).observe(box)
  byId('filter').addEventListener('input', show)
  byId('pause').addEventListener('click', () => {
    const isPaused = waiting === undefined
    byId('pause').setAttribute('aria-pressed', isPaused)
    if (!isPaused) all = waiting
    waiting = isPaused ? all : undefined
    show()
  })
  rows.addEventListener('click', (event) => {
    const row = event.target.closest('.row')
    // On a narrow screen, the request is below the list.
    const isNarrow = matchMedia('(max-width: 44rem)').matches
    const index = shown.findIndex(({ id }) => `request-${id}` === row?.id)
    select(index, isNarrow)
  })
  box.addEventListener('keydown', (event) => {
    const current = shown.findIndex(({ id }) => id === selectedId)
    const page = Math.max(1, Math.floor(box.clientHeight / rowHeight()) - 1)
    const last = shown.length - 1
    const target = {
      ArrowDown: current + 1,
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
    select(target, event.key === 'Enter' || event.key === ' ')
  })

  return {
    /** `oldest` is the first id that serve-mock still keeps. `requests` begin with the oldest. */
    add: ({ oldest, requests }) => {
      const list = [...requests.reverse(), ...(waiting ?? all)].filter(({ id }) => id >= oldest)
      if (waiting === undefined) all = list
      else waiting = list
      show()
    },
    clear: () => {
      all = []
      if (waiting !== undefined) waiting = []
      show()
    },
    listOf: (orderId) => (waiting ?? all).filter((item) => item.orderId === orderId),
    open: (id) => {
      byId('filter').value = ''
      show()
      select(
        shown.findIndex((item) => item.id === id),
        true,
      )
    },
  }
}
