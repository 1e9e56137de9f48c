// Assembles the local service behind a transport that needs no network.
import { type Clock, createAlarm, repeat } from '../contract/time.ts'
import type { HttpRequest, Transport } from '../contract/transport.ts'
import { createRandom } from './cards.ts'
import type { Catalogue } from './catalogue.ts'
import { createExchangeLog, createRequestLog, type Handler, type LogEntry } from './exchange-log.ts'
import { createFaultList, type Fault, injectFaults, type Latency } from './faults.ts'
import { createControlRoutes, createHttpHandler, createMessageResponse, createOrderRoutes } from './http.ts'
import type { InspectorParts } from './inspector.ts'
import { createService, type ServiceSettings } from './service.ts'
import { openStore } from './store.ts'
import { createWebhooks, type SeenAttempt } from './webhooks.ts'

/** By default, processing takes 2 s, and a final order sends a second webhook. */
export type EmbeddedOptions = Partial<
  Omit<ServiceSettings, 'catalogue' | 'onDelivery' | 'onOutcomeScheduled'>
> & {
  readonly clock: Clock
  readonly catalogue: Catalogue
  /** A path, or `:memory:`. */
  readonly stateFile: string
  /** If missing, a new state file gets a generated seed, and an existing one keeps its own. */
  readonly seed?: string
  /** If missing, requests need no key. */
  readonly apiKey?: string
  readonly webhookSecret?: string
  /** Allowed webhook hosts, in addition to loopback. */
  readonly webhookAllowed?: ReadonlySet<string>
  readonly latency?: Latency
  readonly faults?: readonly Fault[]
  readonly onAttempt?: (attempt: SeenAttempt) => void
  readonly onRequest?: (entry: LogEntry) => void
  /** If missing, there is no inspector, and no bodies are kept. */
  readonly openInspector?: (parts: InspectorParts) => (transport: Transport) => Transport
}

export type EmbeddedService = ReturnType<typeof openEmbedded>

export const openEmbedded = (options: EmbeddedOptions) => {
  const { clock: systemClock, catalogue, processingMs = 2_000, finalWebhook = true } = options
  const store = openStore(options.stateFile, catalogue, options.seed, systemClock.newId)
  const clock = createAdvancedClock(systemClock, store.readClockOffset)

  const service = createService(store, clock, {
    ...{ catalogue, processingMs, redeemShape: options.redeemShape, finalWebhook },
    onDelivery: () => webhooks.wake(),
    onOutcomeScheduled: () => background.lookAgain(),
  })
  const webhooks = createWebhooks({
    deliveries: store.deliveries,
    clock,
    allowed: options.webhookAllowed ?? new Set(),
    // Receivers compare the signed time with their own clock, so it must not include the offset.
    wallTime: systemClock.now,
    onAttempt: options.onAttempt,
    secret: options.webhookSecret,
  })
  const background = createBackground(clock, store.orders.findNextDue, service.finishDue, webhooks)

  const exchanges = createExchangeLog(options.openInspector ? 64 * 1024 : 0)
  const log = createRequestLog(systemClock, (entry, ...exchange) => {
    options.onRequest?.(entry)
    exchanges.record(entry, ...exchange)
  })
  const faults = createFaultList(options.faults ?? [])
  const parts = { catalogue, store, clock, service, faults, exchanges, wake: background.wake }
  const controlRoutes = createControlRoutes(parts)
  const wrap = options.openInspector?.({ ...parts, controlRoutes })
  const routes = [...createOrderRoutes(service), ...controlRoutes]
  const handler = addDateHeader(createHttpHandler(routes, options.apiKey), clock)
  const random = createRandom(`${store.seed}/faults`)
  const { latency } = options
  const transport = log.wrap(injectFaults(handler, { faults, latency, random, clock: systemClock }))

  return {
    transport: wrap?.(transport) ?? transport,
    /** Logs a request that did not reach the transport. */
    recordRefusal: (request: HttpRequest, status: number, message: string): void =>
      log.recordRefusal(request, createMessageResponse(status, message), message),
    seed: store.seed,
    /** Turns an error of the transport into a failure if the state file caused it. */
    failureOf: store.failureOf,
    /** Finishes orders and sends webhooks until aborted. Without it, only requests finish orders. */
    run: background.run,
    close: store.close,
  }
}

const addDateHeader =
  (handler: Handler, clock: Pick<Clock, 'now'>): Handler =>
  async (request, facts) => {
    const response = await handler(request, facts)
    return { ...response, headers: { ...response.headers, date: new Date(clock.now()).toUTCString() } }
  }

/** If the injected clock goes back, this clock stops instead. Only a reset of the offset sets it back. */
const createAdvancedClock = (clock: Clock, readOffset: () => number): Clock => {
  let latest = 0
  return {
    ...clock,
    now: () => {
      latest = Math.max(latest, clock.now())
      return latest + readOffset()
    },
  }
}

// Without this pause, a busy service would run a transaction each millisecond, each for a few orders.
const minSleepMs = 10
// A different process can add orders to the same state file without notice.
const maxSleepMs = 10_000

/** Runs the work that needs no request: finishes orders that are due and sends webhooks. */
const createBackground = (
  clock: Clock,
  findNextOutcome: () => number | undefined,
  finishDue: () => number,
  webhooks: { run(signal: AbortSignal): Promise<void>; wake(): void },
) => {
  const alarm = createAlarm(clock)
  const finishUntilAborted = (signal: AbortSignal): Promise<void> =>
    repeat(alarm, signal, () => {
      finishDue()
      const next = (findNextOutcome() ?? Number.POSITIVE_INFINITY) - clock.now()
      return Math.min(Math.max(next, minSleepMs), maxSleepMs)
    })

  return {
    /** Runs until aborted and then finishes what has started. If one task fails, the other stops too. */
    run: async (signal: AbortSignal): Promise<void> => {
      const stop = new AbortController()
      const stopped = AbortSignal.any([signal, stop.signal])
      const tasks = [finishUntilAborted(stopped), webhooks.run(stopped)]
      try {
        await Promise.all(tasks)
      } finally {
        stop.abort()
        await Promise.allSettled(tasks)
      }
    },
    /** Checks when the next order is due. */
    lookAgain: alarm.ring,
    wake: (): void => {
      alarm.ring()
      webhooks.wake()
    },
  }
}
