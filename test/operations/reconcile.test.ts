// What reconcile concludes from responses and from the proof over time: the state, whether a confirm is unproven, and when
// its proof is possible. A confirm without a valid response: orderctl asks for the order, and never confirms again.
import { expect, test } from 'vitest'
import type { Api } from '../../src/client/api.ts'
import { Failure } from '../../src/errors.ts'
import type { Journal } from '../../src/journal/journal.ts'
import { findOrderById, listCalls } from '../../src/journal/orders/entries.ts'
import { isUnproven } from '../../src/journal/orders/standings.ts'
import { recordFact } from '../../src/journal/orders/write-order.ts'
import { confirm as confirmOffer } from '../../src/operations/confirm.ts'
import type { Session } from '../../src/operations/dependencies.ts'
import { recordResponse } from '../../src/operations/read.ts'
import { reconcile } from '../../src/operations/reconcile.ts'
import { callsOf, checks } from '../journal/order-desk.ts'
import { readEnd } from '../journal/script.ts'
import { readScripts, runScript, type Step, type Verbs } from '../support/steps.ts'
import { ending, offerOf, openSession, owner, recordingIn } from './session.ts'

type Outcome = Awaited<ReturnType<Api['get']>>
const units: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, y: 365 * 24 * 60 * 60_000 }

const readMs = (text: string): number => {
  const [, amount, unit = ''] = /^(-?\d+)(\w+)$/.exec(text) ?? []
  return Number(amount) * (units[unit] ?? Number.NaN)
}

const open = async () => {
  const { service, seen, journal, session, clock } = await openSession()
  /** Of the reference of the test service's orders. */
  const intent = () => {
    const at = clock.now()
    return { ...owner, reference: 'a reference', wallet: 'USD', at, until: at + 45_000 }
  }
  const create = (allowDuplicate: boolean) =>
    callsOf(journal).beginCreate({ ...intent(), request: '{}', allowDuplicate })
  /** In the journal as one whose create had a response. */
  const place = async (sku = 'GAME-US'): Promise<string> => {
    const { data } = await service.create([sku])
    const begun = await create(true)
    if (begun.kind !== 'started') throw new Error(begun.kind)
    const at = clock.now()
    const facts = { orderId: data.id, total: '1', createdAt: at, expiresAt: data.expiresAt }
    await callsOf(journal).endCreate(begun, { outcome: 'done', ...facts }, at)
    return data.id
  }
  const entryOf = async (orderId: string) => {
    const entry = await findOrderById(journal.read, owner, orderId)
    if (entry === undefined) throw new Error('not in the journal')
    return entry
  }
  const ids = new Map<string, string>()
  const idOf = ({ words: [name = ''] }: Step): string => ids.get(name) ?? ''

  const confirm = async (step: Step): Promise<void> => {
    const intended = { ...intent(), orderId: idOf(step), total: '1', counts: 1_000_000n }
    const begun = await callsOf(journal).beginConfirm({ ...intended, allowDuplicate: false })
    if (begun.kind !== 'started') throw new Error(begun.kind)
    if (step.words.length > 1)
      await callsOf(journal).endConfirm(begun, readEnd(step.words.slice(1)), clock.now())
  }

  /** Changes of the responses to get. */
  const responses: Readonly<Record<string, (outcome: Outcome, step: Step) => unknown>> = {
    // As from a cache.
    old: (outcome) => ({ ...outcome, isOld: true }),
    undated: ({ serverTime: _, ...outcome }) => outcome,
    forgotten: ({ serverTime }) => ({
      ...{ kind: 'refused', refusal: 'order-not-found', status: 404, message: '', serverTime },
    }),
    denied: ({ serverTime }) => ({
      ...{ kind: 'refused', refusal: 'credentials', status: 403, message: '', serverTime },
    }),
    stranger: (outcome) =>
      outcome.kind === 'done' ? { ...outcome, data: { ...outcome.data, reference: 'another' } } : outcome,
    // Meanwhile, another process confirms the order.
    overtaken: async (outcome, step) => {
      await confirm({ ...step, words: [step.words[0] ?? '', 'refused', '400'] })
      return outcome
    },
  }
  const run = async (step: Step) => {
    const { as = '', clock: wrong = '0s' } = step.fields
    const inState = (outcome: Outcome) =>
      outcome.kind === 'done' && as !== '' ? { ...outcome, data: { ...outcome.data, state: as } } : outcome
    const get = async (...given: Parameters<Api['get']>) =>
      (responses[as] ?? inState)(await session.api.get(...given), step)
    seen.length = 0
    const result = await reconcile(
      {
        ...session,
        api: { ...session.api, get: get as Api['get'] },
        clock: { ...clock, now: () => clock.now() + readMs(wrong) },
      },
      await entryOf(idOf(step)),
    )
    expect(seen.filter((each) => each !== 'get')).toEqual([])
    const { entry, unproven, provenAt, problem } = result
    return [
      entry.state,
      unproven && 'unproven',
      provenAt !== undefined && wrong === '0s' && `proof in ${(provenAt - clock.now()) / 1_000} s`,
      problem && `problem ${problem.kind}`,
      seen.length === 0 && 'not asked',
    ]
      .filter(Boolean)
      .join(', ')
  }

  const verbs: Verbs = {
    place: async ({ words: [name = '', sku] }) => void ids.set(name, await place(sku)),
    /** In the journal as one whose confirm has no response, or this one. */
    confirm,
    /** The service confirms it. */
    paid: async (step) => void (await service.confirm(idOf(step))),
    pass: async ({ words: [time = ''] }) => service.clock.advance(readMs(time)),
    fault: async ({ words: [fault] }) => void (await service.mock('POST', '/faults', { fault })),
    reconcile: run,
    create: async () => {
      const { kind } = await create(false)
      return kind === 'started' ? '' : kind
    },
    expire: async (step) => {
      const { number, confirms } = await entryOf(idOf(step))
      for (const check of checks(confirms, clock.now())) await recordFact(journal, number, check)
    },
    get: async (step) => {
      const response = await session.api.get(idOf(step))
      if (response.kind === 'done') await recordResponse(session, { orderId: idOf(step) }, response)
    },
    confirms: async (step) =>
      (await listCalls(journal.read, (await entryOf(idOf(step))).number))
        .slice(1)
        .map((call) => (isUnproven(call) ? 'unproven' : (call.settled ?? call.outcome)))
        .join(', '),
  }
  return { verbs, service, session, journal, clock, place, entryOf }
}

test.each(
  readScripts(`
  == a confirm without a response took effect if the order has a later state
  place o; confirm o; paid o; reconcile o → confirmed; pass 5s; reconcile o → successful
  reconcile o → successful, not asked

  == two responses, a minute apart, over a minute after the expiry, prove that a confirm spent nothing
  place o; confirm o; reconcile o → unknown, unproven, proof in 720 s; pass 11m
  reconcile o → unknown, unproven, proof in 60 s; pass 1s; reconcile o → unknown, unproven, proof in 60 s; pass 59s
  reconcile o → unknown, unproven, proof in 1 s; pass 1s; reconcile o → expired; confirms o → expired

  == a confirm that was refused needs the same proof, whatever the status
  place a; confirm a refused 400; place b; confirm b refused 403; place c; confirm c refused 429
  place o; confirm o refused 419; reconcile o → created, unproven, proof in 720 s; pass 661s
  reconcile a → created, unproven, proof in 60 s; reconcile b → created, unproven, proof in 60 s
  reconcile c → created, unproven, proof in 60 s; reconcile o → created, unproven, proof in 60 s; create → taken
  pass 1m; reconcile a → expired; reconcile b → expired; reconcile c → expired; create → taken
  reconcile o → expired; create

  == a new proof is needed if the order is confirmed again
  place o; confirm o refused 400; pass 12m; reconcile o → created, unproven, proof in 60 s; confirm o; pass 1m
  reconcile o → unknown, unproven, proof in 60 s

  == a refused confirm, whose copy may wait in a proxy, is not proven by what proves a later one that was not sent
  place o; confirm o refused 429; confirm o not-sent; pass 12m; reconcile o → created, unproven, proof in 60 s
  pass 1m; reconcile o → expired

  == a confirm is not proven by a response that was asked for before another confirm, and neither response counts
  place o; confirm o refused 400; pass 12m; reconcile o → created, unproven, proof in 60 s; pass 1m
  reconcile o as=overtaken → created, unproven, proof in 60 s; pass 30s
  reconcile o → created, unproven, proof in 60 s

  == a confirm is not proven by an old response
  place o; confirm o; pass 12m; reconcile o as=old → unknown, unproven, proof in 60 s; pass 2m
  reconcile o as=old → unknown, unproven, proof in 60 s

  == a confirm of an unreadable order stays unknown, with a reason
  place o; confirm o; pass 20m; fault get:redirectx3; reconcile o → unknown, unproven, problem unavailable
  pass 2m; reconcile o → unknown, unproven, problem unavailable

  == a confirm of an order in an undocumented state is never proven
  place o TEST-ODD-STATE; confirm o; paid o; pass 20s; reconcile o → unknown, unproven; pass 1m
  reconcile o → unknown, unproven; pass 20m; reconcile o → unknown, unproven

  == a local clock that is a year behind delays a proof, and one that is a year ahead changes nothing
  place o; confirm o; place p; confirm p; reconcile o clock=-1y → unknown, unproven
  reconcile p clock=1y → unknown, unproven; pass 12m; reconcile o clock=-1y → unknown, unproven
  reconcile p clock=1y → unknown, unproven; pass 1m; reconcile o clock=-1y → unknown, unproven
  reconcile p clock=1y → expired; pass 9m; reconcile o clock=-1y → expired

  == without the time of the service, the time here since the create counts
  place o; pass 645s; reconcile o as=undated → created; pass 1ms; reconcile o as=undated → expired

  == an order that the service deleted after its expiry is expired unless a confirm is unproven
  place o TEST-NOT-FOUND-LATER; place p TEST-NOT-FOUND-LATER; confirm p; pass 13m
  reconcile o as=forgotten → expired; reconcile p as=forgotten → unknown, unproven, problem refused

  == a refusal to show an order proves nothing about it
  place o; pass 13m; reconcile o as=denied → created, problem credentials

  == an order that was not confirmed expires, even if the service calls it expired, gone or creating
  place o; place p; place q; pass 11m
  reconcile o as=expired → expired; reconcile p as=gone → expired; reconcile q as=creating → expired

  == an order that was not confirmed is created until it expires by the service's clock
  place o; reconcile o → created; pass 10m; reconcile o → created; pass 4s; reconcile o → expired

  == an order that was not confirmed here but elsewhere after it expired has the state of the service
  place o; expire o; paid o; get o; reconcile o → confirmed

  == an order is void if the service shows a different one under its id, unless a confirm is unproven
  place o; place p; confirm p; paid o; reconcile o as=stranger → stranger
  paid p; reconcile p as=stranger → unknown, unproven, problem unknown
`),
)('%s', async (_title, text) => {
  const { verbs } = await open()
  expect(await runScript(verbs, text)).toBe(text)
})

test('an order is recorded as paid, even if its cards cannot be recorded', async () => {
  const { service, place, journal, entryOf, session } = await open()
  const id = await place()
  await service.confirm(id)
  service.clock.advance(60_000)
  const response = await session.api.get(id)
  if (response.kind !== 'done') throw new Error(response.kind)
  // The payment is recorded first.
  let isFirst = true
  const write: Journal['write'] = (work) => {
    const recorded = isFirst ? journal.write(work) : Promise.reject(new Error('no space'))
    isFirst = false
    return recorded
  }
  const full = { ...session, ...recordingIn({ ...journal, write }) }
  await expect(recordResponse(full, { orderId: id }, response)).rejects.toThrow('no space')
  expect((await entryOf(id)).state).toBe('successful')
})

const confirm = (session: Session, orderId: string) => confirmOffer(session, offerOf(orderId))

/** With an order that was created. */
const openFaults = async (...faults: readonly string[]) => {
  const { service, session, seen, waits } = await openSession()
  const id = await service.created(['GAME-US'])
  for (const fault of faults) await service.mock('POST', '/faults', { fault })
  seen.length = 0
  return { session, id, seen, waits }
}

test('a confirm whose response is lost is unknown even if the journal became unreadable', async () => {
  const { session, id } = await openFaults('confirm:reset-before')
  const { read } = session.journal
  const all: typeof read.all = async (sql, values) => {
    if (sql.includes('WHERE number = $number')) throw new Failure('local-state', 'disk I/O error')
    return read.all(sql, values)
  }
  const journal = { ...session.journal, read: { ...read, all } }
  expect(await ending(confirm({ ...session, journal }, id))).toBe('unknown')
})

test('settling stops after 80 s even if single calls are slow', async () => {
  const { service, session } = await openSession(
    (transport) => (request) =>
      request.method === 'PUT' ? Promise.reject(new Error('lost')) : transport(request),
  )
  const id = await service.created(['GAME-US'])
  let asked = 0
  // Each get takes 30 s; the deadline of the whole comes as the clock passes it.
  const deadlines: { at: number; end: () => void }[] = []
  const pass = (ms: number): void => {
    service.clock.advance(ms)
    for (const { at, end } of deadlines) if (service.clock.monotonic() >= at) end()
  }
  const slow: Session = {
    ...session,
    clock: {
      ...session.clock,
      sleep: async (ms, signal) => {
        if (ms === 80_000)
          return new Promise((end) => deadlines.push({ at: service.clock.monotonic() + ms, end }))
        if (!signal?.aborted) pass(ms)
      },
    },
    api: {
      ...session.api,
      get: async (_id, { signal } = {}) => {
        asked += 1
        for (let left = 30; left > 0 && !signal?.aborted; left -= 1) {
          pass(1_000)
          await new Promise((resolve) => setImmediate(resolve))
        }
        return { kind: 'unknown', reason: 'timed out' }
      },
    },
  }
  const started = service.clock.monotonic()
  expect(await ending(confirm(slow, id))).toBe('unknown')
  expect(asked).toBe(3)
  expect(service.clock.monotonic() - started).toBeLessThanOrEqual(81_000)
})

test('an interruption while settling ends it, and the outcome stays unknown', async () => {
  const stop = new AbortController()
  const { session, id, seen } = await openFaults('confirm:reset-before')
  const sleep = async (ms: number, signal?: AbortSignal) => {
    if (ms === 3_000) stop.abort('SIGINT')
    await session.clock.sleep(ms, signal)
  }
  const clock = { ...session.clock, sleep }
  expect(await ending(confirm({ ...session, clock, interrupted: stop.signal }, id))).toBe('unknown')
  expect(seen).toEqual(['confirm', 'get', 'get'])
})
