// Creates elements, and formats times in the time zone of the browser. Every text goes through textContent, so no text
// can become HTML.

/** Properties that begin with `data-` or `aria-`, and `role`, are attributes. */
export const create = (tag, properties = {}, ...children) => {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined) continue
    if (/^(?:data-|aria-|role$|for$|datetime$)/.test(name)) element.setAttribute(name, String(value))
    else element[name] = value
  }
  element.append(...children.filter((child) => child !== undefined))
  return element
}

export const byId = (id) => document.getElementById(id)

/** Runs an action at a click. While it runs, further clicks do nothing. */
export const createButton = (label, action, properties = {}) => {
  const button = create('button', { type: 'button', textContent: label, ...properties })
  let isRunning = false
  button.addEventListener('click', async () => {
    if (isRunning) return
    isRunning = true
    await attempt(action)
    isRunning = false
  })
  return button
}

/** Reads to screen readers, and shows for some seconds. */
export const notify = (text, isError = false) => {
  const notice = byId('notice')
  notice.textContent = text
  notice.classList.toggle('error', isError)
  clearTimeout(notify.timer)
  notify.timer = setTimeout(() => {
    notice.textContent = ''
  }, 8_000)
}

export const attempt = async (action) => {
  try {
    await action()
  } catch (error) {
    notify(error.message, true)
  }
}

/** Replaces the content if the data has changed, and keeps the focus on the element with the same `data-key`. */
export const renderInto = (container, data, build) => {
  const json = JSON.stringify(data)
  if (container.renderedJson === json) return
  container.renderedJson = json
  const focused = container.contains(document.activeElement) ? document.activeElement : undefined
  container.replaceChildren(...build(data))
  const key = focused?.dataset.key
  if (key !== undefined) container.querySelector(`[data-key="${CSS.escape(key)}"]`)?.focus()
}

/** `rows` are lists of cells. The first cell is the header of its row. */
export const createTable = (caption, heads, rows) =>
  create(
    'table',
    {},
    create('caption', { className: 'hidden', textContent: caption }),
    create(
      'thead',
      {},
      create('tr', {}, ...heads.map((head) => create('th', { scope: 'col', textContent: head }))),
    ),
    create(
      'tbody',
      {},
      ...rows.map(([first, ...cells]) =>
        create(
          'tr',
          {},
          create('th', { scope: 'row' }, first),
          ...cells.map((cell) => create('td', {}, cell)),
        ),
      ),
    ),
  )

/** Each item is a list of what it shows. */
export const createList = (items) =>
  create('ul', { className: 'plain' }, ...items.map((parts) => create('li', {}, ...parts)))

/** Names and values. */
export const createFacts = (pairs) =>
  create(
    'dl',
    {},
    ...pairs.flatMap(([name, value]) => [create('dt', { textContent: name }), create('dd', {}, value)]),
  )

export const createQuiet = (text) => create('p', { className: 'quiet', textContent: text })

const pad = (number, width = 2) => String(number).padStart(width, '0')

export const formatTime = (ms) => {
  const date = new Date(ms)
  return `${pad(date.getHours())}:${pad(date.getMinutes())}:${pad(date.getSeconds())}`
}

export const formatMoment = (ms) => {
  const date = new Date(ms)
  return `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())} ${formatTime(ms)}`
}

export const formatSpan = (ms) => {
  const seconds = Math.floor(ms / 1_000)
  const units = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3_600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'm'],
    [seconds % 60, 's'],
  ].filter(([count]) => count > 0)
  return units.map(([count, unit]) => `${count}${unit}`).join(' ') || '0s'
}
