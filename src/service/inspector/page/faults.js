// The faults: a switch for each, and a form that adds one.
import { call } from './connection.js'
import { attempt, byId, create, createButton, createQuiet, notify, renderInto } from './dom.js'

/** Each fault that this page has seen, with its first text. `id` is undefined while it is off. */
const known = []

export const setUpFaults = ({ operations, faultKinds }) => {
  const option = (value) => create('option', { value, textContent: value })
  byId('fault-operation').replaceChildren(...operations.map(option))
  byId('fault-kind').replaceChildren(...faultKinds.map(({ kind }) => option(kind)))
  const describe = () => {
    const { summary, value } = faultKinds.find(({ kind }) => kind === byId('fault-kind').value)
    byId('fault-hint').textContent =
      `${summary[0].toUpperCase()}${summary.slice(1)}.${value === undefined ? '' : ` Value: ${value}`}`
    byId('fault-value').disabled = value === undefined
  }
  byId('fault-kind').onchange = describe
  describe()
}

export const startFaults = () => {
  byId('fault-form').addEventListener('submit', (event) => {
    event.preventDefault()
    void attempt(async () => {
      const [operation, kind, value, frequency] = ['operation', 'kind', 'value', 'frequency'].map((name) =>
        byId(`fault-${name}`).value.trim(),
      )
      if (!/^(?:x\d+|@\d+(?:\.\d+)?%)$/.test(frequency))
        throw new Error('“How often” must be a count such as x3, or a percentage such as @50%.')
      const hasValue = value !== '' && !byId('fault-value').disabled
      const fault = `${operation}:${kind}${hasValue ? `=${value}` : ''}${frequency}`
      await call('POST', '/faults', { fault })
      notify(`Added the fault ${fault}.`)
    })
  })
}

export const showFaults = (faults) => {
  const active = new Map(faults.map(({ id, fault }) => [id, fault]))
  for (const entry of known) {
    if (!active.has(entry.id)) entry.id = undefined
    entry.left = active.get(entry.id)
  }
  for (const { id, fault } of faults) {
    if (known.some((entry) => entry.id === id)) continue
    const off = known.find(({ id, text }) => id === undefined && text === fault)
    if (off === undefined) known.push({ text: fault, id, left: fault })
    else Object.assign(off, { id, left: fault })
  }
  renderInto(byId('faults'), known, (list) =>
    list.length === 0
      ? [createQuiet('None.')]
      : [create('ul', { className: 'plain' }, ...list.map(createSwitch))],
  )
}

const createSwitch = ({ text, id, left }) =>
  create(
    'li',
    { className: 'bar' },
    createButton(id === undefined ? 'off' : 'on', () => toggle(text, id), {
      role: 'switch',
      className: 'switch',
      'aria-checked': id !== undefined,
      'aria-label': text,
      'data-key': text,
    }),
    create('code', { className: 'wrap', textContent: text }),
    left === undefined || left === text
      ? undefined
      : create('span', { className: 'quiet', textContent: `remaining: ${left}` }),
  )

const toggle = async (text, id) => {
  if (id === undefined) await call('POST', '/faults', { fault: text })
  else await call('DELETE', `/faults?id=${id}`)
  notify(`The fault ${text} is ${id === undefined ? 'on' : 'off'}.`)
}
