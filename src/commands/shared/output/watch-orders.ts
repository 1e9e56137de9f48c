// Watches orders until they are final. Prints each change: live on a terminal, as a line in a pipe, or as JSON.
import type { Context } from '../../../context.ts'
import { formatDecimal } from '../../../contract/decimal.ts'
import type { Order } from '../../../contract/schemas.ts'
import { hasReached, pendingState, type State } from '../../../contract/states.ts'
import { exitCodes } from '../../../exit-codes.ts'
import { createShownOrderReader, type ReadShownOrders } from '../../../operations/watch/order-changes.ts'
import { type Noticed, watch } from '../../../operations/watch/watch.ts'
import { renderChange, renderWatched } from '../../../ui/screens/order-line.ts'
import { createLive } from '../../../ui/terminal/live.ts'
import { sanitize } from '../../../ui/terminal/sanitize.ts'
import { themeFor } from '../../../ui/terminal/view.ts'
import { describeProducts } from '../../../ui/text/amounts.ts'
import { readInParallel } from '../journal/read-in-parallel.ts'
import { writeNote } from '../notes.ts'
import type { OutputOptions } from '../options.ts'
import type { CommandSession } from '../session.ts'
import { canDraw } from '../waiting.ts'
import { ensureDelivered, outputFor } from './output.ts'
import { warnOfDuplicates } from './reveal.ts'
import { createOrderResult, type Ended, exitCodeOf, printNextStep, toEnded } from './show-order.ts'

type WatchRequest = {
  readonly output: OutputOptions
  readonly forState?: State | undefined
  readonly intervalMs?: number | undefined
  /** The time limit of the whole watch. */
  readonly timeoutMs?: number | undefined
  /** Prints each change on stdout. Otherwise stdout gets only the final order, as after a confirm. */
  readonly isStream: boolean
  /** The order was just confirmed, so 'not found' means 'not found yet'. */
  readonly isKnown: boolean
  /** A prompt has just shown the order. */
  readonly wasShown?: boolean
}

export const watchOrders = async (
  session: CommandSession,
  orderIds: readonly string[],
  options: WatchRequest,
): Promise<number> => {
  const { context } = session
  const { clock, random, interrupted, stdout, stderr } = context
  const { output, forState, intervalMs, timeoutMs, isStream, isKnown, wasShown = false } = options
  const { format } = output
  const { print } = outputFor(context, output, { session, isPlaced: isKnown })
  const isDrawn = canDraw(context, { showsProgress: format === 'screen' })
  const screen = createWatchScreen(context, orderIds, isDrawn, forState)
  const changes = isStream ? stdout : stderr
  const started = clock.monotonic()
  const writeChange = (id: string, state: string): void =>
    changes.write(renderChange({ id, state, ms: clock.monotonic() - started }, themeFor(changes)))
  const { expiries, readShown } = await readJournal(session, orderIds)
  /** The journal knows what such a line needs. An order that is printed needs a response. */
  const printsOnlyLines = isStream && format === 'screen' && !stdout.isTerminal
  const showNotice = ({ uid, state }: Noticed): void => {
    screen.change(uid, state)
    writeChange(uid, state)
    screen.draw()
  }
  const unseen = orderIds.length === 1 ? 'asking for the order' : 'asking for the orders'
  const waiting = session.waiting.begin(() => (screen.isEmpty() ? unseen : undefined))
  const orders = await watch(orderIds, {
    api: session.api,
    record: session.record,
    clock,
    random,
    // If stdout is closed, nobody reads the result.
    interrupted: AbortSignal.any([interrupted, stdout.broken]),
    forState,
    intervalMs,
    timeoutMs,
    known: isKnown,
    expiresAt: (id) => expiries.get(id),
    readShown,
    onNotice: printsOnlyLines ? showNotice : undefined,
    onState: async (order) => {
      screen.add(order)
      if (isStream && format === 'json') await print(createOrderResult(session, order), true)
      else if (format === 'screen' && !(isDrawn && changes.isTerminal)) writeChange(order.uid, order.state)
      screen.draw()
    },
    onEnd: screen.end,
    onPollError: (id, reason) =>
      stderr.warn(`cannot read ${sanitize(id)}: ${sanitize(reason)}. Trying again.`),
    onTick: isDrawn ? screen.draw : undefined,
  })
    .catch(async (error) => {
      const facts = `stopped watching; not final yet: ${orderIds.join(' ')}`
      await ensureDelivered(context, facts, orderIds[0] ?? '')
      throw error
    })
    .finally(() => {
      waiting.end()
      screen.clear()
    })
  const responses = orders.map(({ response }) => response).filter((each) => each !== undefined)
  // A stream has printed each change already, except on a terminal, where the live lines are gone now.
  if (!printsOnlyLines && !(isStream && format === 'json'))
    for (const response of responses) await print(createOrderResult(session, response, wasShown))
  for (const { uid, state } of orders) await ensureDelivered(context, `the order ${uid} is ${state}`, uid)
  for (const response of responses) warnOfDuplicates(session, response)
  for (const order of orders)
    printEnd(context, order.response === undefined ? order : toEnded(order.response), options)
  const codes = new Set(orders.map((order) => endCodeOf(order, forState)))
  const { failed, partial, expired, ok } = exitCodes
  return [failed.code, partial.code, expired.code].find((code) => codes.has(code)) ?? ok.code
}

/** The expiry of each order that the journal knows, and what it shows of the orders while they are watched. */
const readJournal = async ({ journals, owner }: CommandSession, orderIds: readonly string[]) => {
  const expiries = new Map<string, number | undefined>()
  const found: { readShown?: ReadShownOrders | undefined } = {}
  await journals.attempt('the expiry of the orders was not read', async (journal) => {
    const entries = await readInParallel(orderIds, (id) => journal.findOrder(owner, id))
    for (const [index, id] of orderIds.entries()) expiries.set(id, entries[index]?.expiresAt)
    found.readShown = createShownOrderReader({ journal, owner })
  })
  return { expiries, ...found }
}

const printEnd = (context: Context, order: Ended, { forState, output }: WatchRequest): void => {
  const { uid, state } = order
  if (endCodeOf(order, forState) === exitCodes.expired.code) {
    writeNote(
      context,
      `The order ${sanitize(uid)} was not confirmed in time and has expired. Order again: ${context.suggest`create ${{ again: uid }}`}\n`,
    )
  } else if (forState !== undefined && !hasReached(state, forState)) {
    context.stderr.warn(
      `the final state of the order ${sanitize(uid)} is ${sanitize(state)}, so it will not become ${forState}`,
    )
  }
  printNextStep(context, order, output)
}

/** An order that is still pending when its watch ends has expired. */
const endCodeOf = ({ state }: Pick<Order, 'state'>, forState: string | undefined): number =>
  state === pendingState && forState !== pendingState ? exitCodes.expired.code : exitCodeOf(state)

/** The live lines: one for a single order; for several, one each and a summary. */
const createWatchScreen = (
  { stderr, clock }: Context,
  orderIds: readonly string[],
  isOn: boolean,
  forState: string | undefined,
) => {
  const live = createLive(stderr, isOn)
  const goal = forState === undefined ? 'final' : `${forState} or later`
  const started = clock.monotonic()
  const ids = [...new Set(orderIds)]
  const ended = new Map<string, number>()
  const seen = new Map<string, { readonly state: string; readonly products: string }>()
  return {
    isEmpty: (): boolean => seen.size === 0,
    clear: live.clear,
    add: ({ uid, state, products }: Order): void => {
      const ordered = [...products].map(([sku, { request }]) => ({
        sku,
        quote: formatDecimal(request.quote),
        ordered: request.quantity,
      }))
      seen.set(uid, { state, products: describeProducts(ordered) })
    },
    /** For an order that was added. */
    change: (orderId: string, state: string): void => {
      const known = seen.get(orderId)
      if (known !== undefined) seen.set(orderId, { ...known, state })
    },
    end: (orderId: string): void => void ended.set(orderId, clock.monotonic()),
    draw: (): void => {
      const theme = themeFor(stderr)
      const orders = ids.flatMap((id) => {
        const order = seen.get(id)
        const ms = (ended.get(id) ?? clock.monotonic()) - started
        return order === undefined ? [] : [{ id, ...order, ms, isOver: ended.has(id) }]
      })
      // The cursor stands in the row below the last line.
      const rows = stderr.height - 1
      live.show(
        ids.length === 1
          ? orders.map((order) => renderChange(order, theme))
          : renderWatched(orders, { total: ids.length, goal, rows, theme }),
      )
    },
  }
}
