// Runs a cell of the matrix, compares the result with it, and checks the rules that hold in every cell.
import { exitCodes } from '../../src/errors.ts'
import type { Ran } from '../support/orderctl.ts'
import { key } from './response.ts'
import { createWords, noFault, type Situation, situations } from './situations.ts'
import { type Cell, compressWire, matches } from './table.ts'
import { proxyPassword, type World } from './world.ts'

/** The beginning of the error message for an exit code. The reason follows it. */
const expectedMessageStart = ({ exit, wire, situation, state, fault }: Cell, id: string): string => {
  const command = situations[situation].command
  const isReached = /[A-W]/.test(wire)
  const isSent = wire.includes('P')
  switch (exit) {
    case 0:
      return ''
    case 3:
    case 4:
      if (isSent) return `the service refused to confirm the order ${id}: `
      if (exit === 4) return 'the service rejected the credentials: '
      if (command === 'create') return 'the service refused: '
      return fault === '404' ? `order '${id}' not found` : `order ${id}: the service refused: `
    case 5:
      if (command !== 'create' || !isReached)
        return isReached ? 'the service gave no usable response: ' : 'the service could not be reached'
      return state === 'created' ? `created ${id}` : 'create gave no usable response: '
    case 6:
      return state === 'confirmed'
        ? `the order is confirmed, but could not be read: the service ${/^40[13]$/.test(fault) ? 'rejected the credentials' : 'gave no usable response'}: `
        : `the outcome of confirming the order ${id} is unknown: `
    case 124:
      return `timed out; still waiting for: ${id}`
    default:
      throw new Error(`nothing ends with ${exit}`)
  }
}

type ReportedError = {
  readonly code: string
  readonly message: string
  readonly fix?: string
  readonly advice?: string
  readonly orderId?: string
}

const readError = ({ exit, stderr }: Ran, isJson: boolean): ReportedError | undefined => {
  if (exit === 0) return undefined
  const lines = stderr.trimEnd().split('\n')
  if (isJson) return JSON.parse(lines.at(-1) ?? '').error
  const [, message = ''] = /^error: (.*)$/m.exec(stderr) ?? []
  const [, fix] = /^try: (.*)$/m.exec(stderr) ?? []
  const [advice] = lines
    .slice(lines.findIndex((line) => line.startsWith('error: ')) + 1)
    .filter((line) => !/^(try: | )/.test(line))
  return { code: '', message, ...(fix !== undefined && { fix }), ...(advice !== undefined && { advice }) }
}

const totalOf = async ({ calls }: World): Promise<number> => Number(await calls.balance('USD'))

/** Checks the rules that hold in every cell. */
const findBreaches = (
  world: World,
  cell: Cell,
  { exit, stdout, stderr }: Ran,
  { isJson, id }: { readonly isJson: boolean; readonly id: string | undefined },
): string[] => {
  const all = stdout + stderr
  const entries = Object.entries(exitCodes).find(([, { code }]) => code === exit)
  const told = readError({ exit, stdout, stderr }, isJson)
  const errorLines = stderr.split('\n').filter((line) => /^(error|try): /.test(line))
  const rules: readonly (readonly [string, boolean])[] = [
    ['the exit code stands in the table', entries !== undefined],
    ['there is no stack trace', !/^\s+at |a defect|undefined|\[object/m.test(all)],
    ['the key is in no output', !all.includes(key) && !all.includes(btoa(key))],
    ['the login of the proxy is in no output', !all.includes(proxyPassword)],
    ['no control character comes through', !/[^\P{C}\n]/u.test(all)],
    [
      'an error is said once',
      exit === 0 || isJson || errorLines.length === (told?.fix === undefined ? 1 : 2),
    ],
    // For a refusal of the service there is no general advice.
    ['an error says what to do', exit === 0 || exit === 3 || (told?.fix ?? told?.advice) !== undefined],
    [
      'what may have been ordered is named, and the next command',
      exit !== 6 || (/orderctl (get|reconcile)/.test(told?.fix ?? '') && all.includes(id ?? '')),
    ],
    ['JSON names the exit code', exit === 0 || !isJson || told?.code === entries?.[0]],
    ['what spends is sent once', !/[cp].*[cp]/i.test(world.wire())],
    ['nobody else is called', world.unrelatedCalls() === 0],
    ['little of an endless response is taken', world.mostBytes() < 32 * 1024 ** 2],
    ['nothing on stdout but a result', exit === 0 || world.wire().startsWith('g') || stdout === ''],
  ]
  return rules.filter(([, holds]) => !holds).map(([rule]) => `${rule}: ${cell.fault}: ${all}`)
}

/** Creates the order that the situation needs, through orderctl if it can reach the service. */
const prepareOrder = async (
  world: World,
  { before, isElsewhere }: Situation,
  reference: string,
): Promise<string> => {
  if (before === undefined) return ''
  await world.setFault(noFault)
  const id =
    isElsewhere || world.entry === 'nowhere'
      ? await world.calls.created(['GAME-US'], { reference })
      : (await world.run([...createWords(reference), '-q'])).stdout.trim()
  if (before === 'confirmed') await world.calls.confirm(id)
  return id
}

/** Runs the cell. Returns the expected and the actual result. */
export const runCell = async (world: World, cell: Cell, isJson: boolean) => {
  const situation: Situation = situations[cell.situation]
  const reference = `${cell.situation.replace(', ', '-')}-${isJson}`
  const id = await prepareOrder(world, situation, reference)
  const before = await totalOf(world)
  await world.setFault(situation)
  const ran = await world.run([...situation.words(id, reference), ...(isJson ? ['--json'] : [])])
  const [wire, serviceLog] = [world.wire(), world.serviceLog()]
  const spent = before - (await totalOf(world))
  const order = await world.order(reference)
  const entry = (await world.entries()).find((each) => each.reference === reference)
  const message = readError(ran, isJson)?.message ?? ''
  const { says } = cell
  const start = expectedMessageStart(cell, id || (order?.uid ?? ''))
  const isReasonGiven =
    cell.exit === 124 ||
    message.includes(says) ||
    message.includes(says.replace(/^status /, 'HTTP ')) ||
    message.endsWith(says.toLowerCase())
  const carriedOut = situation.reaches ? wire.toLowerCase() : wire.replace(/[A-W]/g, '')
  return {
    wanted: {
      exit: cell.exit,
      wire: cell.wire,
      state: cell.state,
      message: start,
      serviceLog: carriedOut.replace(/x/gi, ''),
      spent: situation.command === 'confirm' && serviceLog.includes('p') ? Number(order?.invoice.total) : 0,
      breaches: [],
    },
    found: {
      exit: ran.exit,
      wire: matches(wire, cell.wire) ? cell.wire : compressWire(wire),
      state: entry?.state,
      message: start !== '' && message.startsWith(start) && isReasonGiven ? start : message,
      serviceLog,
      spent,
      breaches: findBreaches(world, cell, ran, { isJson, id: entry?.orderId }),
    },
  }
}
