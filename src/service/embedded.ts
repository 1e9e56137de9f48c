// The whole service put together: a transport that needs no network, and what goes on behind it.
import type { Clock } from '../contract/clock.ts'
import type { Transport } from '../contract/transport.ts'
import { createBackground } from './background.ts'
import type { Catalogue, RedeemShape } from './catalogue.ts'
import { serviceClock } from './clock.ts'
import { controlRoutes } from './control.ts'
import { dated } from './dated.ts'
import type { Fault } from './faults/fault-form.ts'
import { createFaultList, injecting } from './faults/inject.ts'
import type { Latency } from './faults/latency.ts'
import { httpHandler, orderRoutes } from './http.ts'
import { randomFrom } from './random.ts'
import { createService } from './service.ts'
import { createRequestLog, type LogEntry } from './socket/request-log.ts'
import { openStore } from './store.ts'
import { createWebhooks } from './webhooks/webhooks.ts'

export type EmbeddedOptions = {
  readonly clock: Clock
  readonly catalogue: Catalogue
  /** A path, or `:memory:`. */
  readonly stateFile: string
  /** Without one, a state goes on with its own, and a new state makes one up. */
  readonly seed?: string | undefined
  /** Without one, nobody needs a key. */
  readonly apiKey?: string | undefined
  readonly processingMs?: number | undefined
  readonly redeemShape?: RedeemShape | undefined
  readonly finalWebhook?: boolean | undefined
  readonly webhookSecret?: string | undefined
  /** Hosts beside loopback that webhooks may go to. */
  readonly webhookAllowed?: ReadonlySet<string> | undefined
  readonly latency?: Latency | undefined
  readonly faults?: readonly Fault[] | undefined
  readonly onRequest?: ((entry: LogEntry) => void) | undefined
}

export type Embedded = {
  readonly transport: Transport
  readonly seed: string
  /** What its transport throws, where the state file is to blame: a failure that says so. */
  failureOf(error: unknown): unknown
  /** Settles and delivers until aborted. Without it outcomes are booked when someone asks, webhooks not sent. */
  run(signal: AbortSignal): Promise<void>
  close(): void
}

const defaultProcessingMs = 2_000

export const openEmbedded = (options: EmbeddedOptions): Embedded => {
  const { catalogue } = options
  const store = openStore({
    file: options.stateFile,
    catalogue,
    seed: options.seed,
    newSeed: () => options.clock.newId(),
  })
  const clock = serviceClock(options.clock, store.clockOffset)

  const service = createService(store, clock, {
    catalogue,
    processingMs: options.processingMs ?? defaultProcessingMs,
    redeemShape: options.redeemShape,
    finalWebhook: options.finalWebhook ?? true,
    onDelivery: () => background.deliver(),
    onOutcomeAt: (time) => background.outcomeAt(time),
  })
  const webhooks = createWebhooks({
    deliveries: store.deliveries,
    clock,
    allowed: options.webhookAllowed ?? new Set(),
    // Receivers compare what is signed with their own time, and ours may have been put forward.
    wallTime: () => options.clock.now(),
    ...(options.webhookSecret === undefined ? {} : { secret: options.webhookSecret }),
  })
  const background = createBackground({
    clock,
    nextOutcome: store.orders.nextDue,
    settleDue: service.settleDue,
    webhooks,
  })

  const log = createRequestLog(options.clock, options.onRequest ?? (() => {}))
  const faults = createFaultList(options.faults ?? [])
  const control = controlRoutes({
    catalogue,
    store,
    clock,
    settleDue: service.settleDue,
    upToDate: service.upToDate,
    faults,
    log,
    poke: background.poke,
  })
  const handler = dated(httpHandler([...orderRoutes(service), ...control], options.apiKey), clock)
  const random = randomFrom(`${store.seed}/faults`)
  const injected = injecting(handler, { faults, latency: options.latency, random, clock: options.clock })

  return {
    transport: log.around(injected),
    seed: store.seed,
    failureOf: store.failureOf,
    run: background.run,
    close: store.close,
  }
}
