// No sequence of tool calls confirms an order, by the service's own log: random tools with hostile arguments, faults of
// the network, cancelled calls, and assistants and servers that end in the middle.
import { setTimeout } from 'node:timers/promises'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { faultKinds } from '../../../src/service/faults.ts'
import { openAssistant, orderOf } from '../../support/assistant.ts'
import { isAllRun } from '../../support/cases.ts'
import { inRealTime, openWorld, order, overNetwork, type World } from '../../support/world.ts'

/** No such tools exist. */
const wished = 'confirm_order confirm batch_run approve_batch redeem settle run __proto__'.split(' ')

const hostile = fc.constantFrom<unknown>(
  ...['--confirm', '--watch', '--yes', '--confirm=true', '-y', '--', '-', '@last', 'batch:gifts', 'confirm'],
  ...[
    'x --confirm',
    'x\n--confirm',
    'x; orderctl confirm @last --yes',
    '$(orderctl confirm @last)',
    '\u0000',
    '',
  ],
  ...['ref:po-1', 'po-1', 'gifts', '../order.json', '/dev/stdin', 'file:///etc/passwd', 'USD', '2026-11'],
  ...[null, true, 0, -1, [], {}, ['--confirm'], { confirm: true }, 'x'.repeat(5_000)],
)

const names = 'order reference name since until by last_four wallet rows card limit'.split(' ')
const extras = 'confirm watch yes reveal profile idempotent allowDuplicate webhookUrl state'.split(' ')
const hostileArguments = fc.dictionary(fc.constantFrom(...names, ...extras), hostile, { maxKeys: 4 })

const references = fc.oneof(
  fc.constantFrom('po-1', 'theirs'),
  fc.integer({ min: 2, max: 60 }).map((number) => `po-${number}`),
)
const anOrder = references.map((reference) => ({ order: `ref:${reference}` }))
const anOrderFile = fc
  .tuple(references, fc.integer({ min: 1, max: 5 }))
  .map(([reference, count]) => orderOf(reference, count))
const nothing = fc.constant({})

/** Arguments that each tool accepts. */
const sound: Readonly<Record<string, fc.Arbitrary<object>>> = {
  ...{ list_orders: nothing, report: nothing, list_products: nothing },
  ...{ get_order: anOrder, explain_order: anOrder, check_order: anOrderFile, create_order: anOrderFile },
  find_order: fc.constant({ last_four: '7Q2M' }),
  plan_batch: fc.constant({
    name: 'gifts',
    wallet: 'USD',
    rows: [{ sku: 'GAME-US', quote: 25, quantity: 40 }],
  }),
}

const request = fc
  .oneof(
    { weight: 5, arbitrary: fc.constantFrom('get_order', 'create_order') },
    { weight: 9, arbitrary: fc.constantFrom(...Object.keys(sound)) },
    { weight: 1, arbitrary: fc.constantFrom(...wished) },
  )
  .chain((tool) => {
    const good = Object.hasOwn(sound, tool) ? (sound[tool] ?? nothing) : nothing
    const bad = fc.oneof({ weight: 2, arbitrary: nothing }, hostileArguments)
    return fc.tuple(good, bad).map(([given, more]): Request => ({ tool, given: { ...given, ...more } }))
  })
type Request = { readonly tool: string; readonly given: object }

const faults = Object.entries(faultKinds)
  .filter(([kind]) => kind !== 'drip')
  .map(([kind, { value, defaultValue }]) => {
    const needsValue = value !== undefined && defaultValue === undefined
    return needsValue ? `${kind}=${kind === 'status' ? '500' : '1ms'}` : kind
  })

const step = fc.record({
  request,
  fault: fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, fc.constantFrom(...faults)),
  ends: fc.constantFrom('with the response', 'with the response', 'cancelled', 'together with the next'),
})
const sequence = fc.record({
  steps: fc.array(step, { minLength: 1, maxLength: 6 }),
  /** After the last call was sent. Undefined if nobody is killed. */
  killedAfterMs: fc.option(fc.integer({ min: 0, max: 60 }), { nil: undefined, freq: 1 }),
})
type Sequence = typeof sequence extends fc.Arbitrary<infer Value> ? Value : never

/** Resolves when the server has ended, or when every call has a response. */
const play = async (
  shop: World,
  { steps, killedAfterMs }: Sequence,
  byExecutable: boolean,
): Promise<void> => {
  const ends: (() => Promise<void>)[] = []
  const finished = (end: () => Promise<void>) => void ends.push(end)
  const flags = ['--allow', 'create', '--max-total', '100']
  const { call, kill } = await openAssistant(shop, flags, { byExecutable, finished })
  const calls: Promise<unknown>[] = []
  for (const [index, { request, fault, ends: how }] of steps.entries()) {
    const operation = { create_order: 'create', get_order: 'get' }[request.tool]
    if (fault !== undefined && operation !== undefined) await shop.fault(`${operation}:${fault}`)
    const cancel = new AbortController()
    calls.push(call(request.tool, request.given, { signal: cancel.signal }).catch(() => {}))
    if (how === 'cancelled') setImmediate(() => cancel.abort())
    const isLast = index === steps.length - 1
    if (isLast && killedAfterMs !== undefined) await setTimeout(killedAfterMs).then(() => kill())
    else if (isLast || how !== 'together with the next') await Promise.all(calls)
  }
  for (const end of ends) await end()
}

const ofPerson = async (shop: World): Promise<void> => {
  await shop.id(...order)
  await shop.id(...order.slice(0, -1), 'theirs')
}

/** The person's orders wait for a confirm. Whatever the assistant does, none comes. */
const expectNoConfirm = async (shop: World): Promise<void> => {
  expect(shop.bought()).toEqual([])
  expect(shop.sent('confirm')).toBe(0)
  expect(await shop.asked()).not.toContain('confirm')
  expect(shop.journal("SELECT * FROM calls WHERE operation = 'confirm'")).toEqual([])
}

const sequencesOfWorld = 25

const playAll = async (runs: number, open: () => Promise<World>, byExecutable: boolean): Promise<void> => {
  let shop: World | undefined
  let count = 0
  let placed = 0
  const property = fc.asyncProperty(sequence, async (given) => {
    if (shop === undefined || count % sequencesOfWorld === 0) {
      shop = await open()
      await ofPerson(shop)
    }
    count += 1
    const before = countPlaced(shop)
    await play(shop, given, byExecutable)
    await expectNoConfirm(shop)
    placed += countPlaced(shop) - before
  })
  await fc.assert(property, { numRuns: runs, interruptAfterTimeLimit: 1_500_000 })
  // The sequences do something.
  expect([count >= runs, placed > runs / 20]).toEqual([true, true])
}

/** The orders that the assistant has placed. */
const countPlaced = (shop: World): number =>
  shop.journal("SELECT * FROM orders WHERE placed_with = 'mcp' AND order_id IS NOT NULL").length

test('in process', { timeout: 1_800_000 }, () =>
  playAll(isAllRun ? 1_900 : 20, () => openWorld(overNetwork), false),
)

test.runIf(isAllRun)('by the built executable, which is killed', { timeout: 1_800_000 }, () =>
  playAll(100, () => openWorld(inRealTime), true),
)
