// The observer: when it reads, how many orders at once, and how waiting ends. `order ID STATES` are
// what the service responds in turn, the last one for ever: a state, `missing`, `throws`, `held` until `respond`, or `hangs`
// until the request is aborted. `reads` are the orders that were read since the last `reads`, and `ended` who has a result.
import { expect, test } from 'vitest'
import type { Outcome } from '../../src/client/api.ts'
import type { Order } from '../../src/contract/schemas.ts'
import { createEmptyJournal } from '../../src/journal/file-journal.ts'
import { createObserver, type ObserverOptions } from '../../src/operations/observe.ts'
import type { Sight } from '../../src/operations/view.ts'
import { createManualClock } from '../support/manual-clock.ts'
import { readScripts, runScript, type Verbs } from '../support/steps.ts'
import { turnEventLoop } from '../support/wait-until.ts'
import { recordingIn } from './session.ts'

type Got = Outcome<Order>

const inState = (uid: string, state: string): Got => ({
  kind: 'done',
  data: {
    ...{ uid, state, products: new Map() },
    createdDate: { _seconds: 0, _nanoseconds: 0 },
  } as unknown as Order,
  message: '',
})
const unreachable: Got = { kind: 'not-sent', reason: 'connection refused' }
const notFound: Got = { kind: 'refused', status: 404, message: 'Not Found', refusal: 'order-not-found' }
const stateOf = (sight: Sight | undefined): string =>
  sight === undefined
    ? 'stopped'
    : sight.response.kind === 'done'
      ? sight.response.data.state
      : sight.response.kind

/** By default as for a batch, but without jitter. The journal knows no order. */
const open = (
  answer: (id: string, signal: AbortSignal | undefined) => Promise<Got>,
  options: Partial<ObserverOptions>,
) => {
  const clock = createManualClock(0)
  const interruption = new AbortController()
  const reads: { readonly id: string; readonly at: number }[] = []
  const inProgress: string[] = []
  const last = new Map<string, string>()
  const get: ObserverOptions['api']['get'] = async (id, { signal } = {}) => {
    if (signal?.aborted) return unreachable
    reads.push({ id, at: clock.now() })
    inProgress.push(id)
    try {
      return await answer(id, signal)
    } finally {
      inProgress.splice(inProgress.indexOf(id), 1)
    }
  }
  const observer = createObserver({
    ...recordingIn(createEmptyJournal()),
    ...{ api: { get }, clock, interrupted: interruption.signal },
    ...{ random: () => 0.5, firstIntervalMs: 250, waitsFirst: true },
    onRead: (id, sight) => {
      const before = last.get(id) ?? stateOf(sight)
      last.set(id, stateOf(sight))
      return stateOf(sight) !== before
    },
    isOver: (_, { view }) => view.isFinal,
    ...options,
  })
  const ended: string[] = []
  const watch = (id: string): void =>
    void observer.until({ orderId: id }).then(
      (sight) => ended.push(`${id} ${stateOf(sight)}`),
      (error: Error) => ended.push(`${id} fails: ${error.message}`),
    )
  return { observer, clock, reads, inProgress, interruption, ended, watch }
}

const createObserverVerbs = (): Verbs => {
  const states = new Map<string, string[]>()
  const held: (() => void)[] = []
  const waits: number[] = []
  const { promise: ready, resolve: unblock } = Promise.withResolvers<void>()
  let limit = 1_000
  let options: Partial<ObserverOptions> = {}
  let opened: ReturnType<typeof open> | undefined
  const answer = async (id: string, signal: AbortSignal | undefined): Promise<Got> => {
    const all = states.get(id) ?? states.get('*') ?? ['processing']
    const state = (all.length > 1 ? all.shift() : all[0]) ?? ''
    if (state === 'throws') throw new TypeError('a defect')
    if (state === 'missing') return notFound
    if (state === 'hangs')
      return new Promise((resolve) => signal?.addEventListener('abort', () => resolve(unreachable)))
    if (state === 'held') await new Promise<void>((resolve) => held.push(resolve))
    return inState(id, state === 'held' ? 'successful' : state)
  }
  const world = () => (opened ??= open(answer, { concurrency: () => limit, ...options }))
  return {
    options: async ({ words, fields: { interval, random, waits: most } }) => {
      options = {
        ...(words.includes('fixed') && { isFixed: true }),
        ...(words.includes('at-once') && { waitsFirst: false }),
        ...(words.includes('blocked') && { ready: () => ready }),
        ...(interval && { firstIntervalMs: Number(interval) }),
        ...(random && { random: () => Number(random) }),
        ...(most && { isOver: (_id, _sight, sinceOpenMs) => waits.push(sinceOpenMs) >= Number(most) }),
      }
    },
    limit: async ({ words: [count] }) => {
      limit = Number(count)
    },
    order: async ({ words: [id = '', ...all] }) =>
      void states.set(
        id,
        all.flatMap((word) => {
          const [state = '', count = '1'] = word.split('*')
          return Array.from({ length: Number(count) }, () => state)
        }),
      ),
    watch: async ({ words }) => words.forEach(world().watch),
    pass: ({ words: [seconds] }) => world().clock.pass(Math.round(Number(seconds) * 1_000)),
    pauses: async () => {
      const times = world()
        .reads.splice(0)
        .map(({ at }) => at)
      return times.map((at, index) => at - (times[index - 1] ?? 0)).join(' ')
    },
    reads: async () => {
      const ids = world()
        .reads.splice(0)
        .map(({ id }) => id)
      return ids.length > 9 ? `${ids[0]}*${ids.length}` : ids.join(' ')
    },
    ended: async () => world().ended.splice(0).toSorted().join(', '),
    running: async () => world().inProgress.length,
    respond: async () => {
      held.shift()?.()
      await turnEventLoop()
    },
    unblock: async () => {
      unblock()
      await turnEventLoop()
    },
    stop: async () => world().observer.stop(),
    interrupt: async () => world().interruption.abort('SIGINT'),
    finish: async () =>
      void world()
        .observer.finish()
        .then(() => world().ended.push('finished')),
    sleepers: async () => world().clock.sleepers.size,
    waits: async () => waits.join(' '),
  }
}

const all =
  'order * hangs; order waiting processing; watch waiting a b c d e; pass 0.25; reads → waiting a b c d'
const stopped =
  'pass 20; sleepers → 0; reads\n' +
  'ended → a stopped, b stopped, c stopped, d stopped, e stopped, later stopped, waiting stopped'

test.each(
  readScripts(`
  == an order is read less and less often, up to every 10 s, and often again after a change
  order o confirmed*12 processing processing failed; watch o; pass 90; ended → o failed
  pauses → 250 250 375 563 844 1266 1898 2848 4271 6407 9611 10000 10000 250 375; sleepers → 0

  == an order is read at shorter intervals with jitter
  options at-once interval=1000 random=0; watch o; pass 2.4; pauses → 0 800 1200

  == an order is read at longer intervals with jitter
  options at-once interval=1000 random=0.999999; watch o; pass 2.4; pauses → 0 1200

  == an order is read at fixed intervals without jitter
  options at-once fixed interval=1000 random=0; watch o; pass 2.4; pauses → 0 1000 1000

  == an order has one result for all that wait for it, and may be observed again
  order o successful; watch o o; pass 0.25; ended → o successful, o successful; reads → o
  watch o; pass 0.25; ended → o successful; reads → o

  == an order has a timer of its own
  order new successful; watch slow; pass 60; reads → slow*14; watch new; pass 0.25
  ended → new successful; reads → new

  == an order is in doubt since the last response that justified waiting
  options fixed interval=1000 waits=6; order o missing missing confirmed missing; watch o; pass 6
  waits → 1000 2000 0 1000 2000 3000; ended → o refused

  == an order with an error that is not a response rejects, and others go on
  order bad throws; order good successful; watch bad good; pass 0.25; ended → bad fails: a defect, good successful

  == a lower limit holds reads back, but at least one always runs
  limit 3; order * held; watch a b c d e f g h; pass 0.25; running → 3; limit 0; respond; running → 2
  respond; running → 1; respond; running → 1; respond; running → 1; limit 5; respond; running → 3

  == all reads wait until requests may be sent again
  options blocked; order o successful; watch o; pass 60; reads; unblock; ended → o successful

  == a stop of the observer ends all orders and reads
  limit 4; ${all}; stop; watch later; ${stopped}

  == an interruption ends all orders and reads
  limit 4; ${all}; interrupt; watch later; ${stopped}

  == a stop finishes when the reads in progress have ended, and keeps what they show
  order * held; watch a b; pass 0.25; finish; running → 2; ended; respond; ended → a successful; respond
  ended → b successful, finished
`),
)('%s', async (_title, text) => {
  expect(await runScript(createObserverVerbs(), text)).toBe(text)
})
