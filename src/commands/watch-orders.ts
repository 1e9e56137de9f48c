// Watching, shown: a live line an order on a terminal, a line a change in a pipe, an object a change in JSON.
import type { Api } from '../client/api.ts'
import type { Context } from '../context.ts'
import type { Order } from '../contract/schemas.ts'
import { watch } from '../operations/watch.ts'
import { createLive } from '../ui/live.ts'
import { changeLine } from '../ui/watch-line.ts'
import { flagReader } from './flags.ts'
import { viewOf } from './session.ts'
import { type ShowFlags, shower } from './show.ts'
import { exitCodeOf, orderScreen } from './show-order.ts'

export type WatchFlags = ShowFlags & {
  readonly for?: string
  readonly interval?: string
  /** The whole time, of the watch command alone. */
  readonly watchTimeout?: string
  /** Each change as it comes; else the final order alone, as for a chain. */
  readonly stream?: boolean
}

export const watchOrders = async (
  context: Context,
  api: Api,
  orderIds: readonly string[],
  flags: WatchFlags,
): Promise<number> => {
  const { clock, random, interrupted, stdout, stderr } = context
  const reader = flagReader('watch')
  const intervalMs = reader.duration('--interval', flags.interval)
  const timeoutMs = reader.duration('--timeout', flags.watchTimeout)
  reader.check()
  const { line, show } = shower(context, flags)
  const isPlain = flags.json !== true && flags.quiet !== true
  // The live line goes to stderr: stdout is the result.
  const live = createLive(stderr, isPlain && stderr.isTerminal)
  const started = clock.now()
  const states = new Map<string, string>()
  const draw = () =>
    live.show(
      [...states].map(([id, state]) =>
        changeLine({ id, state, ms: clock.now() - started }, viewOf(context).theme),
      ),
    )

  let orders: Order[]
  try {
    orders = await watch(orderIds, {
      api,
      clock,
      random,
      interrupted,
      forState: flags.for,
      intervalMs,
      timeoutMs,
      onState: (order) => {
        states.set(order.uid, order.state)
        if (flags.stream === true && flags.json === true) line(order)
        else if (isPlain && !live.isOn) {
          stdout.write(
            changeLine(
              { id: order.uid, state: order.state, ms: clock.now() - started },
              viewOf(context).theme,
            ),
          )
        }
        draw()
      },
      onPollError: (id, reason) => {
        live.clear()
        stderr.write(`warning: ${id} could not be read: ${reason}; trying on\n`)
      },
      onWait: draw,
    })
  } finally {
    live.clear()
  }
  if (flags.stream !== true || flags.json !== true) {
    for (const order of orders) {
      const screen = () => orderScreen(context, order, flags.reveal === true)
      show({ data: order, id: order.uid, screen })
    }
  }
  return Math.max(...orders.map((order) => worst(exitCodeOf(order.state))))
}

// Failed is worse than partial, though its number is smaller: sorted by what it means.
const worst = (code: number): number => code
