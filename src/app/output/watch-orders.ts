// Watches orders until they are final. Prints each change: live on a terminal, as a line in a pipe, or as JSON.

import type { Context } from '../../context.ts'
import type { State } from '../../contract/states.ts'
import { repeat, within } from '../../contract/time.ts'
import { type ExitName, exitCodes, Failure, interruption } from '../../errors.ts'
import { createWaitFailure } from '../../operations/failures.ts'
import { createObserver, lookEveryMs, type ObserverOptions } from '../../operations/observe.ts'
import type { NamedOrder, ReadOrder } from '../../operations/read.ts'
import { hasReachedState, type Sight, waitMs } from '../../operations/view.ts'
import type { Suggest } from '../../text/suggest.ts'
import { renderChange, renderWatched } from '../../ui/screens/order-line.ts'
import { findShownWord } from '../../ui/screens/state.ts'
import { createLive } from '../../ui/terminal/live.ts'
import { sanitize } from '../../ui/terminal/text.ts'
import { themeFor } from '../../ui/terminal/view.ts'
import { describeCount, describeOrdered } from '../../ui/text/formats.ts'
import type { CommandSession } from '../open-session.ts'
import { canDraw, writeNote } from '../terminal.ts'
import { ensureDelivered, formatOf, type OutputOptions, outputFor, warnOfOrder } from './output.ts'
import { createOrderResult, printSuggestion } from './show-order.ts'

type WatchRequest = {
  readonly output: OutputOptions
  readonly forState?: State | undefined
  readonly intervalMs?: number | undefined
  /** The time limit of the whole watch. */
  readonly timeoutMs?: number | undefined
  /** Prints each change on stdout. Otherwise stdout gets only the final order, as after a confirm. */
  readonly isStream: boolean
  /** This run has confirmed the order, so 'not found' means 'not found yet'. */
  readonly isKnown: boolean
  /** A prompt has just shown the order. */
  readonly wasShown?: boolean
}

/** An order that the service has shown. */
const toReadOrder = ({ known, cards, response, view }: Sight): ReadOrder | undefined =>
  response.kind === 'done' && view.reading !== 'stranger'
    ? { data: response.data, known, cards, view }
    : undefined

export const watchOrders = async (
  session: CommandSession,
  orders: readonly NamedOrder[],
  options: WatchRequest,
): Promise<number> => {
  const { context } = session
  const { stdout } = context
  const { output, forState, isStream, isKnown, wasShown = false } = options
  const { print } = outputFor(context, output, { session, isPlaced: isKnown })
  const all = await observeAll(session, orders, options)
  const shown = all.map((sight) => toReadOrder(sight)).filter((each) => each !== undefined)
  // A stream has printed each change already, except on a terminal, where the live lines are gone now.
  if (!isStream || output.quiet || (!output.json && stdout.isTerminal))
    for (const seen of shown) await print(createOrderResult(session, seen, { wasShown }))
  for (const { data, view } of shown)
    await ensureDelivered(context, `the order ${data.uid} is ${findShownWord(data.state, view)}`, data.uid)
  for (const seen of shown) warnOfOrder(session, seen)
  for (const seen of shown) await printEnd(session, seen, options)
  const exits = all.map((sight, index) => findExit(sight, orders[index]?.orderId ?? '', forState))
  const problem = exits.find((exit) => exit instanceof Failure)
  if (problem !== undefined) throw problem
  const worst = worstFirst.find((name) => exits.includes(name)) ?? 'ok'
  return exitCodes[worst].code
}

const worstFirst: readonly ExitName[] = ['failed', 'partial', 'expired']

/** An order that is not final although waiting is over is a failure, unless it has expired. */
const findExit = (sight: Sight, orderId: string, forState: State | undefined): ExitName | Failure => {
  const { view } = sight
  const seen = toReadOrder(sight)
  if (seen !== undefined && forState !== undefined && hasReachedState(seen.data, view, forState))
    // Missing and repeated cards do not count.
    return view.isFinal && view.progress !== forState ? view.exits.confirmed : 'ok'
  if (view.isFinal || view.exit === 'expired') return view.exit
  return createWaitFailure(sight, orderId)
}

/** Reads before the command gives up on an order that neither the journal nor the service has shown. */
const maxFailedReads = 5

const observeAll = async (
  session: CommandSession,
  orders: readonly NamedOrder[],
  options: WatchRequest,
): Promise<Sight[]> => {
  const orderIds = orders.map(({ orderId }) => orderId)
  const { context } = session
  const { clock, random, interrupted, stdout, stderr } = context
  const { output, forState, intervalMs, timeoutMs, isStream, isKnown } = options
  const format = formatOf(output)
  const { print } = outputFor(context, output, { session, isPlaced: isKnown })
  const isDrawn = canDraw(context, { showsProgress: format === 'screen' })
  const screen = createWatchScreen(context, orderIds, isDrawn, forState)
  const changes = isStream ? stdout : stderr
  const started = clock.monotonic()
  const shown = new Map<string, string>()
  const known = new Set<string>()
  const failedReads = new Map<string, number>()

  const onRead: ObserverOptions['onRead'] = async (orderId, sight) => {
    const seen = toReadOrder(sight)
    if (seen === undefined) {
      failedReads.set(orderId, (failedReads.get(orderId) ?? 0) + 1)
      return false
    }
    const word = findShownWord(seen.data.state, sight.view)
    // The missing cards of a successful order change no word.
    const change = sight.view.progress === 'incomplete' ? 'incomplete' : word
    if (shown.get(orderId) === change) return false
    shown.set(orderId, change)
    screen.add(seen)
    if (isStream && format === 'json') await print(createOrderResult(session, seen), true)
    else if (format === 'screen' && !(isDrawn && changes.isTerminal)) {
      const line = { id: orderId, state: word, view: sight.view, ms: clock.monotonic() - started }
      changes.write(renderChange(line, themeFor(changes)))
    }
    // The run of its batch confirms an order of a batch.
    if (format === 'screen' && sight.view.next === 'confirm' && seen.known?.entry.batch === undefined)
      writeNote(context, `Waiting for a confirm: ${context.suggest`confirm ${orderId}`}\n`)
    if (isDone(sight, forState)) screen.end(orderId)
    screen.draw()
    // Two servers of a service may show different states in turn, which is no progress.
    const step = `${orderId} ${change}`
    const isNew = !known.has(step)
    known.add(step)
    return isNew
  }

  const isOver: ObserverOptions['isOver'] = (orderId, sight, sinceOpenMs, unchangedMs) => {
    const { known, response, view } = sight
    const isStuck = timeoutMs === undefined && unchangedMs > waitMs.long
    const isEnded = isDone(sight, forState) || sinceOpenMs > waitMs[view.wait] || isStuck
    const isMistake = known === undefined && !isKnown && !shown.has(orderId)
    const isLast = isEnded || isHopeless(sight, isMistake && (failedReads.get(orderId) ?? 0))
    if (isLast) screen.end(orderId)
    else if (response.kind !== 'done') {
      const reason = response.kind === 'refused' ? response.message : response.reason
      stderr.warn(`cannot read ${sanitize(orderId)}: ${sanitize(reason)}. Trying again.`)
    }
    return isLast
  }

  const unseen = orderIds.length === 1 ? 'asking for the order' : 'asking for the orders'
  const waiting = session.waiting.begin(() => (screen.isEmpty() ? unseen : undefined))
  // If stdout is closed, nobody reads the result.
  const stops = AbortSignal.any([interrupted, stdout.broken])
  const poll = async (signal: AbortSignal): Promise<Sight[]> => {
    const observer = createObserver({
      ...session,
      ...{ random, interrupted: signal, onRead, isOver },
      firstIntervalMs: intervalMs ?? 1_000,
      isFixed: intervalMs !== undefined,
      waitsFirst: false,
      isConfirmed: isKnown,
    })
    const done = new AbortController()
    if (isDrawn)
      void repeat(clock, AbortSignal.any([signal, done.signal]), () => {
        screen.draw()
        return lookEveryMs
      })
    const results = await Promise.all(orders.map((order) => observer.until(order))).finally(() => {
      observer.stop()
      done.abort()
    })
    const all = results.filter((sight) => sight !== undefined)
    if (all.length === results.length) return all
    const left = orderIds.filter((_, index) => results[index] === undefined)
    const isSingle = left.length === 1
    const details = {
      orderId: isSingle ? left[0] : undefined,
      fix: (suggest: Suggest) => suggest`watch ${left}`,
    }
    const ids = left.join(' ')
    if (stops.aborted) throw interruption(stops, `stopped watching; still waiting for: ${ids}`, details)
    throw new Failure('timed-out', `timed out; still waiting for: ${ids}`, { ...details, retryable: true })
  }
  try {
    return await (timeoutMs === undefined ? poll(stops) : within(clock, timeoutMs, stops, poll))
  } catch (error) {
    await ensureDelivered(context, `stopped watching: ${orderIds.join(' ')}`, orderIds[0] ?? '')
    throw error
  } finally {
    waiting.end()
    screen.clear()
  }
}

const isDone = (sight: Sight, forState: State | undefined): boolean => {
  const seen = toReadOrder(sight)
  return (
    sight.view.wait === 'none' ||
    (seen !== undefined && forState !== undefined && hasReachedState(seen.data, sight.view, forState))
  )
}

/** The key is refused. Or, with `failed` reads of an order that nobody knows: its id or the address is probably wrong. */
const isHopeless = ({ response }: Sight, failed: number | false): boolean => {
  if (response.kind === 'refused' && response.refusal === 'credentials') return true
  if (failed === false || response.kind === 'done') return false
  return response.kind !== 'unknown' || failed >= maxFailedReads
}

const printEnd = async (session: CommandSession, seen: ReadOrder, options: WatchRequest): Promise<void> => {
  const { forState, output } = options
  const { context } = session
  const { data, view } = seen
  const { uid } = data
  if (view.exit === 'expired' && view.voidReason !== 'not-spent')
    writeNote(context, `The order ${sanitize(uid)} was not confirmed in time and has expired.\n`)
  else if (view.progress === 'incomplete' && forState === undefined) {
    const missing = view.shortfalls.reduce((sum, { ordered, received }) => sum + ordered - received, 0)
    context.stderr.warn(
      `the order ${sanitize(uid)} is paid, but ${describeCount(missing, 'card')} ${missing === 1 ? 'is' : 'are'} missing. ${missing === 1 ? 'It' : 'They'} may still come: do not order again`,
    )
  } else if (view.isFinal && forState !== undefined && !hasReachedState(data, view, forState)) {
    context.stderr.warn(
      `the final state of the order ${sanitize(uid)} is ${view.progress}, so it will not become ${forState}`,
    )
  }
  await printSuggestion(session, seen, output)
}

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
  const seen = new Map<string, ReadOrder>()
  return {
    isEmpty: (): boolean => seen.size === 0,
    clear: live.clear,
    add: (order: ReadOrder): void => void seen.set(order.data.uid, order),
    end: (orderId: string): void => void ended.set(orderId, clock.monotonic()),
    draw: (): void => {
      if (seen.size === 0) return
      const theme = themeFor(stderr)
      const orders = ids.flatMap((id) => {
        const order = seen.get(id)
        if (order === undefined) return []
        const { data, view } = order
        const ms = (ended.get(id) ?? clock.monotonic()) - started
        const state = findShownWord(data.state, view)
        return [{ id, state, view, products: describeOrdered(data), ms, isOver: ended.has(id) }]
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
