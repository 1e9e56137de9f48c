// Watching, shown: a live line an order on a terminal, a line a change in a pipe, an object a change in JSON.
import type { Context } from '../../context.ts'
import { parseDuration } from '../../contract/duration.ts'
import type { Order } from '../../contract/schemas.ts'
import { hasReached, pendingState, states } from '../../contract/states.ts'
import { exitCodes } from '../../exit-codes.ts'
import { watch } from '../../operations/watch.ts'
import { changeLine } from '../../ui/screens/watch-line.ts'
import { createLive } from '../../ui/terminal/live.ts'
import { safeText } from '../../ui/terminal/safe-text.ts'
import { themeFor } from '../../ui/terminal/theme.ts'
import { arrived } from './ensure-delivered.ts'
import { flagReader } from './flag-reader.ts'
import { noteReveal } from './note-reveal.ts'
import { type ShowFlags, shower } from './output.ts'
import { canDraw, type Session } from './session.ts'
import { exitCodeOf, sayNext, shownOrder } from './show-order.ts'

export type WatchFlags = ShowFlags & {
  readonly for?: string
  readonly interval?: string
  /** The whole time, of the watch command alone. */
  readonly watchTimeout?: string
  /** Each change as it comes; else the final order alone, as for a chain. */
  readonly stream?: boolean
  /** Just confirmed: not found means not found yet. */
  readonly known?: boolean
}

const stateNames = Object.keys(states)
const shortestIntervalMs = 100

export const watchOrders = async (
  context: Context,
  session: Session,
  orderIds: readonly string[],
  flags: WatchFlags,
): Promise<number> => {
  const { clock, random, interrupted, stdout, stderr } = context
  const { forState, intervalMs, timeoutMs } = readFlags(flags)
  const { line, show, reveals } = shower(context, flags, { hasSpent: flags.known === true })
  const isPlain = flags.json !== true && flags.quiet !== true
  const isStream = flags.stream === true
  // The live line goes to stderr: stdout is the result. So do the changes of a chain, whose result is the order.
  const live = createLive(stderr, canDraw(context, flags))
  const changes = isStream ? stdout : stderr
  const started = clock.monotonic()
  const seen = new Map<string, string>()
  const lineOn = (output: typeof stdout, id: string, state: string): string =>
    changeLine({ id, state, ms: clock.monotonic() - started }, themeFor(output))
  const draw = () => live.show([...seen].map(([id, state]) => lineOn(stderr, id, state)))

  const expiries = await expiriesOf(session, orderIds)
  // From the first answer on, the lines themselves say it.
  const unseen = orderIds.length === 1 ? 'asking for the order' : 'asking for the orders'
  const waiting = session.waiting.begin(() => (seen.size === 0 ? unseen : undefined))
  const watching = watch(orderIds, {
    api: session.api,
    clock,
    random,
    // Without a reader nobody waits.
    interrupted: AbortSignal.any([interrupted, stdout.broken]),
    forState,
    intervalMs,
    timeoutMs,
    known: flags.known,
    expiresAt: (id) => expiries.get(id),
    onState: async (order) => {
      seen.set(order.uid, order.state)
      if (isStream && flags.json === true) {
        if (reveals) await noteReveal(context, session, order)
        line(order)
      } else if (isPlain && !(live.isOn && changes.isTerminal)) {
        changes.write(lineOn(changes, order.uid, order.state))
      }
      draw()
    },
    onPollError: (id, reason) =>
      stderr.write(`warning: ${safeText(id)} could not be read: ${safeText(reason)}; trying on\n`),
    ...(live.isOn ? { onTick: draw } : {}),
  })
  const orders = await watching
    .catch(async (error) => {
      await arrived(context, `stopped watching; the order goes on: ${orderIds.join(' ')}`, orderIds[0] ?? '')
      throw error
    })
    .finally(() => {
      waiting.end()
      live.clear()
    })
  // In a pipe each change was the result; on a terminal the lines are gone, or wait for their end.
  const isShown = !isStream || flags.quiet === true || (isPlain && stdout.isTerminal)
  for (const order of isShown ? orders : []) {
    if (reveals) await noteReveal(context, session, order)
    await show(shownOrder(context, session, order, flags))
  }
  for (const { uid, state } of orders) await arrived(context, `the order ${uid} is ${state}`, uid)
  for (const order of orders) sayEnd(context, order, flags)
  return worst(orders.map((order) => endCodeOf(order, forState)))
}

/** As the journal has them of what was created from here. */
const expiriesOf = async ({ journals, owner }: Session, orderIds: readonly string[]) => {
  const expiries = new Map<string, number>()
  await journals.attemptIfThere('when the orders expire was not looked up', (journal) => {
    for (const id of orderIds) {
      const expiresAt = journal.find(owner, id)?.expiresAt
      if (expiresAt !== undefined) expiries.set(id, expiresAt)
    }
  })
  return expiries
}

const readFlags = (flags: WatchFlags) => {
  const { read, timeout, check } = flagReader('watch')
  const atLeast = (text: string): number | undefined => {
    const ms = parseDuration(text)
    return ms !== undefined && ms >= shortestIntervalMs ? ms : undefined
  }
  const forState = read(
    '--for',
    flags.for,
    (text) => stateNames.find((each) => each === text),
    stateNames.join(', '),
  )
  const intervalMs = read(
    '--interval',
    flags.interval,
    atLeast,
    `a length of time from ${shortestIntervalMs}ms on, such as 500ms or 2s`,
  )
  const timeoutMs = timeout('--timeout', flags.watchTimeout)
  check()
  return { forState, intervalMs, timeoutMs }
}

/** What ended otherwise than was waited for. */
const sayEnd = (context: Context, order: Order, flags: WatchFlags): void => {
  const { uid, state } = order
  if (endCodeOf(order, flags.for) === exitCodes.expired.code) {
    context.stderr.write(`${safeText(uid)} was not confirmed in time, and has expired\n`)
  } else if (flags.for !== undefined && !hasReached(state, flags.for)) {
    context.stderr.write(`${safeText(uid)} ended ${safeText(state)}, and will not be ${flags.for}\n`)
  }
  sayNext(context, order, flags)
}

/** An order that is still pending when its watch ends has expired. */
const endCodeOf = ({ state }: Order, forState: string | undefined): number =>
  state === pendingState && forState !== pendingState ? exitCodes.expired.code : exitCodeOf(state)

/** Failed is worst: nothing came of what was paid for. */
const worst = (codes: readonly number[]): number =>
  [exitCodes.failed.code, exitCodes.partial.code, exitCodes.expired.code].find((code) =>
    codes.includes(code),
  ) ?? exitCodes.ok.code
