// The loop of a listener on a real table: its rate, its sequence, what it repeats, and what a new process continues.
//
// `order ID RESPONSES` and `target RESPONSES` are what the service and the target respond in turn, the last one for ever:
// a state, `missing`, `away`, a status, or `held` until `release`. `key-1` is the first delivery. `seen` are the lines
// since the last `seen`.
import { expect, onTestFinished, test } from 'vitest'
import type { Api } from '../../../src/client/api.ts'
import type { Order } from '../../../src/contract/schemas.ts'
import { createEmptyJournal } from '../../../src/journal/file-journal.ts'
import { createAcceptor } from '../../../src/operations/listen/accept-delivery.ts'
import { createDueLoop } from '../../../src/operations/listen/due-loop.ts'
import { listReceived, openDeliveryTable, readListenStatus } from '../../../src/webhooks/deliveries.ts'
import { isAllRun } from '../../support/cases.ts'
import { createManualClock } from '../../support/manual-clock.ts'
import { folder } from '../../support/orderctl.ts'
import { readScripts, runScript, type Verbs } from '../../support/steps.ts'
import { turnEventLoop } from '../../support/wait-until.ts'
import { recordingIn } from '../session.ts'

type Outcome = Awaited<ReturnType<Api['get']>>

const done = (uid: string, state = 'successful'): Outcome => ({
  kind: 'done',
  data: { uid, state, products: new Map() } as unknown as Order,
  message: '',
})

const openLoop = (world: World) => {
  const { clock, place, seen, waits } = world
  const table = openDeliveryTable(place, 'shop.example')
  if (table === undefined) throw new Error('the table is locked')
  const recording = recordingIn(createEmptyJournal())
  const loop = createDueLoop({
    session: {
      ...recording,
      journals: {
        attempt: async () => {
          if (!world.isLocked) recording.seenCards.unrecorded.clear()
        },
      },
      clock,
      api: {
        get: async (id) => {
          world.asked.push(id)
          return world.answer(id)
        },
      },
    },
    ...{ clock, table },
    send: world.hasTarget()
      ? async ({ key, body }) => {
          world.sent.push(key)
          world.bodies.push(JSON.parse(new TextDecoder().decode(body ?? undefined)).state)
          return world.send(key)
        }
      : undefined,
    reveal: async () => {},
    onChecked: ({ orderId }, order) => seen.push(`${orderId} ${order?.data.state ?? 'unknown'}`),
    onForwarded: ({ key }) => seen.push(`${key} forwarded`),
    onExpired: ({ key }) => seen.push(`${key} expired`),
    onFailed: (phase, reason, waitMs, orderId) => {
      seen.push(`${phase} ${orderId ?? 'all'}: ${reason}`)
      waits.push(waitMs / 1000)
    },
  })
  const accept = createAcceptor({
    ...{ account: 'shop.example', table, isForwarding: world.hasTarget() },
    newId: () => `key-${++world.keys}`,
    findOwn: async (ids) => ids.filter((id) => world.own.includes(id)),
    ...{ secret: undefined, now: clock.now },
    onAccepted: loop.ring,
    onRefused: () => {},
  })
  const stopping = new AbortController()
  const running = loop.run(stopping.signal)
  const stop = async (): Promise<void> => {
    if (stopping.signal.aborted) return
    stopping.abort()
    await running
    table[Symbol.dispose]()
  }
  onTestFinished(stop)
  const receive = async (body: object): Promise<number> =>
    (await accept({ method: 'POST', path: '/', headers: {}, body: JSON.stringify(body) })).status
  return { table, receive, stop }
}

type World = ReturnType<typeof createWorld>

const createWorld = () => {
  const held = Promise.withResolvers<void>()
  const orders = new Map<string, string[]>()
  const targets = new Map<string, string[]>()
  const next = (answers: string[] | undefined): string | undefined =>
    answers !== undefined && answers.length > 1 ? answers.shift() : answers?.[0]
  const answers: Readonly<Record<string, Outcome>> = {
    missing: { kind: 'refused', status: 404, message: 'Not Found', refusal: 'order-not-found' },
    away: { kind: 'not-sent', reason: 'connection refused' },
    400: { kind: 'refused', status: 400, message: 'Bad id' },
    422: { kind: 'unknown', status: 422, reason: 'HTTP 422' },
  }
  return {
    ...{ clock: createManualClock(), place: folder(), isLocked: false, keys: 0, held, orders, targets },
    ...{ own: [] as string[], asked: [] as string[], sent: [] as string[], bodies: [] as string[] },
    ...{ seen: [] as string[], waits: [] as number[] },
    hasTarget: () => targets.size > 0,
    answer: async (id: string): Promise<Outcome> => {
      const word = next(orders.get(id) ?? orders.get('*')) ?? 'successful'
      if (word === 'held') await held.promise
      return answers[word] ?? done(id, word === 'held' ? undefined : word)
    },
    send: async (key: string): Promise<string | undefined> => {
      const word = next(targets.get(key) ?? targets.get('*')) ?? '200'
      if (word === 'held') await held.promise
      if (word === 'away') throw new Error('refused')
      return word === 'held' || word.startsWith('2') ? undefined : `HTTP ${word}`
    },
  }
}

const createLoopVerbs = (): Verbs => {
  const world = createWorld()
  let loop: ReturnType<typeof openLoop> | undefined
  const start = () => (loop ??= openLoop(world))
  /** `ord*10` is ord_0 to ord_9. */
  const readIds = (words: readonly string[]): string[] =>
    words.flatMap((word) => {
      const [name = '', count] = word.split('*')
      return count === undefined
        ? [name]
        : Array.from({ length: Number(count) }, (_, index) => `${name}_${index}`)
    })
  const receive = async (bodies: readonly object[]) => {
    const statuses = await Promise.all(bodies.map(start().receive))
    const refused = statuses.filter((status) => status !== 200)
    return refused.length === 0 ? '' : `${refused.length} refused with ${refused[0]}`
  }
  const readAnswers = (words: readonly string[]): string[] =>
    words.flatMap((word) => {
      const [answer = '', count = '1'] = word.split('*')
      return Array.from({ length: Number(count) }, () => answer)
    })
  return {
    own: async ({ words }) => void world.own.push(...words),
    order: async ({ words: [id = '', ...answers] }) => void world.orders.set(id, readAnswers(answers)),
    target: async ({ words }) => {
      const isOfKey = words[0]?.startsWith('key-') ?? false
      world.targets.set(isOfKey ? (words[0] ?? '') : '*', readAnswers(isOfKey ? words.slice(1) : words))
    },
    receive: ({ words, fields: { state } }) =>
      receive(readIds(words).map((uid) => ({ uid, ...(state && { state }) }))),
    mention: ({ words: [text] }) => receive([{ data: { text } }]),
    /** `step`: in leaps of so many seconds, for long times. */
    pass: async ({ words: [seconds], fields: { step } }) => {
      start()
      if (step === undefined) return world.clock.pass(Math.round(Number(seconds) * 1_000))
      for (let left = Number(seconds); left > 0; left -= Number(step)) {
        world.clock.advance(Number(step) * 1_000)
        await turnEventLoop()
      }
    },
    turn: turnEventLoop,
    clear: async () => void world.seen.splice(0),
    release: async () => world.held.resolve(),
    journal: async ({ words: [state] }) => {
      world.isLocked = state === 'locked'
    },
    /** These functions of the table fail. */
    fail: async ({ words }) => {
      const fail = (): never => {
        throw new Error('disk full')
      }
      Object.assign(start().table, Object.fromEntries(words.map((name) => [name, fail])))
    },
    stop: async () => {
      const stopped = start().stop()
      world.held.resolve()
      await stopped
      loop = undefined
    },
    seen: async () => world.seen.splice(0).join(', '),
    /** Each line once, in the order of the alphabet. */
    lines: async () => [...new Set(world.seen.splice(0))].toSorted().join(', '),
    /** The lines that end so. */
    count: async ({ words: [ending = ''] }) =>
      world.seen.splice(0).filter((line) => line.endsWith(ending)).length,
    asked: async () => world.asked.length,
    first: async ({ words: [count] }) => world.asked.slice(0, Number(count)).join(' '),
    last: async () => world.asked.splice(0).at(-1),
    sent: async () => world.sent.splice(0).toSorted().join(' '),
    sends: async () => world.sent.length,
    /** The states of the bodies that were sent. */
    bodies: async () => world.bodies.splice(0).join(' '),
    waits: async () => [...new Set(world.waits.splice(0))].join(' '),
    due: async () => start().table.findDue('forward', Number.MAX_SAFE_INTEGER, [])?.key,
    waiting: async () => readListenStatus(world.place, 'shop.example').waiting,
    kept: async () => listReceived(world.place, 'shop.example', 0).length,
  }
}

const day = 24 * 60 * 60
/** The body of the delivery is deleted after 7 days, and the delivery after 30. */
const days = (count: number): string => `pass ${count * day} step=${day / 4}`

test.each(
  readScripts(`
  == asks for ten orders a second, those of the journal first
  own own; order * missing; receive ord*100; turn; receive own; pass 2; asked → 21; first 2 → ord_0 own

  == under a flood, a delivery that only mentions an order of the journal is accepted, and goes first
  own own; order * away; receive ord*10000; receive one-more → 1 refused with 503; first 9 → ord_0; mention own; pass 3
  first 2 → ord_0 own

  == asks once for all deliveries of an order, and again for one that arrives meanwhile
  order * held; receive ord_1 ord_1 ord_1; pass 0.2; asked → 1; receive ord_1; release; pass 0.5; asked → 2
  seen → ord_1 successful, ord_1 successful

  == slows down while the service is away, and then reads all
  order * away; receive ord*10; pass 30; asked → 21; clear; order * successful; pass 40; count successful → 10

  == repeats up to 5 times: an order of the journal that is not shown yet
  own ord_1; order ord_1 missing missing successful; receive ord_1 state=successful; pass 60; asked → 3
  seen → ord_1 successful

  == repeats up to 5 times: an order of the journal that is never shown
  own ord_1; order ord_1 missing; receive ord_1 state=successful; pass 60; asked → 6
  seen → ord_1 unknown

  == repeats up to 5 times: a final state that is not shown yet
  order ord_1 processing processing successful; receive ord_1 state=successful; pass 60; asked → 3
  seen → ord_1 successful

  == repeats up to 5 times: a final state that is never shown
  order ord_1 processing; receive ord_1 state=successful; pass 60; asked → 6; seen → ord_1 processing

  == forwards what the service shows, so a forged early state reaches no target, and blocks no genuine delivery
  target 200; order ord_1 confirmed; receive ord_1 state=successful; pass 60; bodies → confirmed
  order ord_1 successful; receive ord_1 state=successful; pass 1; bodies → successful
  receive ord_1 state=successful; receive ord_1 state=confirmed; pass 1; bodies → successful
  receive ord_1 state=confirmed; pass 1; bodies; kept → 3

  == asks on for a delivery that arrives again before the service shows what it names
  target 200; order ord_1 processing; receive ord_1 state=successful; pass 20; receive ord_1 state=successful
  pass 20; order ord_1 successful; pass 30; bodies → successful

  == forwards nothing of an order that the service does not know
  target 200; order ord_1 missing; receive ord_1; pass 1; seen → ord_1 unknown; waiting → 0; sends → 0

  == ids that are refused do not hold up other orders
  order bad_0 400; order bad_1 422; receive bad_0 bad_1; pass 20; receive ord_1; pass 0.2; last → ord_1; pass 40
  lines → bad_0 unknown, bad_1 unknown, ord_1 successful

  == repeats a check that the journal could not record
  journal locked; receive ord_1; pass 2; lines → check ord_1: the journal was not updated; journal free; pass 10
  seen → ord_1 successful

  == forwards a delivery when its order was read, until the target accepts it, after waits from 1 s to 5 min
  target 500*11 204; receive ord_1; pass 1200; waits → 1 2 4 8 16 32 64 128 256 300
  lines → forward ord_1: HTTP 500, key-1 forwarded, ord_1 successful

  == forwards the deliveries of one order in sequence, and those of others meanwhile
  target 200; target key-1 held; receive ord_1 ord_1 ord_2; pass 1; sent → key-1 key-3; release; pass 1; sent → key-2

  == a delivery that the target refuses holds up only its own order
  target 200; target key-1 301; receive bad bad good; pass 10; receive good; pass 1; due → key-1
  lines → bad successful, forward bad: HTTP 301, good successful, key-3 forwarded, key-4 forwarded

  == a target that does not respond holds up no check
  target held; receive ord*20; pass 3; asked → 20; sends → 4; release

  == sends rarely while the target is away, and then everything
  target away; receive ord*20; pass 60; sends → 73; target 200; pass 120; count forwarded → 20

  == a new process continues at once with what an earlier one has left
  target 503; order ord_2 away; receive ord_1 ord_2; pass 100; stop
  lines → check ord_2: the service could not be reached: connection refused, forward ord_1: HTTP 503, ord_1 successful
  target 200; order ord_2 successful; pass 0.5; lines → key-1 forwarded, key-2 forwarded, ord_2 successful

  == pauses if the table cannot be written, so that nothing is sent without end
  target 200; fail setForwarded postpone; receive ord_1; pass 59; sends → 2
  lines → forward ord_1: disk full, ord_1 successful

  == says that it cannot read listen.db, and tries again each second
  receive ord_1; pass 1; seen → ord_1 successful; fail findDue; pass 60; waits → 1
  lines → read listen.db all: disk full

  == says that it cannot clean up, and tries again each hour
  receive ord_1; pass 1; seen → ord_1 successful; fail deleteBodies; pass 7200 step=60; waits → 3600
  lines → clean up all: disk full

  == deletes a body after 7 days, and a delivery after 30
  target 503; receive ord_1; ${days(6)}; waiting → 1; clear; ${days(2)}; waiting → 0
  lines → forward ord_1: HTTP 503, key-1 expired; ${days(21)}; kept → 1
  ${days(2)}; kept → 0

  == an order whose response arrives after the stop is shown
  order * held; receive ord_1; turn; asked → 1; stop; seen → ord_1 successful
`).filter(([title]) => isAllRun || !title.startsWith('under a flood')),
)('%s', async (_title, text) => {
  expect(await runScript(createLoopVerbs(), text)).toBe(text)
})
