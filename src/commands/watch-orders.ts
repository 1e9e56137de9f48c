// Watching, shown: a live line an order on a terminal, a line a change in a pipe, an object a change in JSON.
import type { Context } from '../context.ts'
import type { Order } from '../contract/schemas.ts'
import { hasReached } from '../contract/states.ts'
import { Failure } from '../errors.ts'
import { exitCodes } from '../exit-codes.ts'
import { watch } from '../operations/watch.ts'
import { createLive } from '../ui/live.ts'
import { safeText } from '../ui/safe-text.ts'
import { themeFor } from '../ui/theme.ts'
import { changeLine } from '../ui/watch-line.ts'
import { flagReader } from './flags.ts'
import { noteReveal } from './note-reveal.ts'
import type { Session } from './session.ts'
import { type ShowFlags, shower } from './show.ts'
import { exitCodeOf, orderScreen } from './show-order.ts'

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

export const watchOrders = async (
  context: Context,
  session: Session,
  orderIds: readonly string[],
  flags: WatchFlags,
): Promise<number> => {
  const { clock, random, interrupted, stdout, stderr } = context
  const reader = flagReader('watch')
  const intervalMs = reader.duration('--interval', flags.interval)
  const timeoutMs = reader.duration('--timeout', flags.watchTimeout)
  reader.check()
  const { line, show } = shower(context, flags, { hasSpent: flags.known === true })
  const isPlain = flags.json !== true && flags.quiet !== true
  // The live line goes to stderr: stdout is the result.
  const live = createLive(stderr, isPlain && stderr.isTerminal)
  const started = clock.now()
  const states = new Map<string, string>()
  const lineOn = (output: typeof stdout, id: string, state: string): string =>
    changeLine({ id, state, ms: clock.now() - started }, themeFor(output))
  const draw = () => live.show([...states].map(([id, state]) => lineOn(stderr, id, state)))

  let orders: Order[]
  try {
    orders = await watch(orderIds, {
      api: session.api,
      clock,
      random,
      interrupted,
      forState: flags.for,
      intervalMs,
      timeoutMs,
      known: flags.known,
      onState: async (order) => {
        states.set(order.uid, order.state)
        if (flags.stream === true && flags.json === true) {
          if (flags.reveal === true) await noteReveal(context, session, order)
          line(order)
        } else if (isPlain && !live.isOn) stdout.write(lineOn(stdout, order.uid, order.state))
        draw()
      },
      onPollError: (id, reason) => {
        live.clear()
        stderr.write(`warning: ${safeText(id)} could not be read: ${safeText(reason)}; trying on\n`)
      },
      onWait: draw,
    })
  } finally {
    live.clear()
  }
  if (flags.stream !== true || flags.json !== true) {
    for (const order of orders) {
      if (flags.reveal === true) await noteReveal(context, session, order)
      const screen = () => orderScreen(context, order, flags.reveal === true)
      show({ data: order, ids: [order.uid], screen })
    }
  }
  const passed =
    flags.for === undefined ? [] : orders.filter(({ state }) => !hasReached(state, flags.for ?? ''))
  if (passed.length > 0) {
    const ends = passed.map(({ uid, state }) => `${uid} ended ${state}`).join(', ')
    throw new Failure('failed', `${ends}, and will not be ${flags.for}`, { field: '--for' })
  }
  return worst(orders.map((order) => exitCodeOf(order.state)))
}

/** Failed is worse than partial, though its number is smaller. */
const worst = (codes: readonly number[]): number =>
  [exitCodes.failed.code, exitCodes.partial.code].find((code) => codes.includes(code)) ?? exitCodes.ok.code
