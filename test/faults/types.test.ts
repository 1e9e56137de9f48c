// Wrong types: each field of each response is replaced by each kind of value in turn. A type that is not documented proves
// nothing: a read fails, the outcome of a create or confirm is unknown, each is sent once, and the id is kept.
import { expect, test } from 'vitest'
import { confirmedExample, createdExample, orderExample } from '../../src/contract/openapi/examples.ts'
import type { Operation } from '../../src/contract/refusals.ts'
import { apiOver, request, responding } from '../support/client-api.ts'
import { line } from '../support/embedded.ts'
import { type Field, fieldsIn, kindOf, nameOf, values, withValue } from './fields.ts'

const { id } = createdExample.data
const order = request([line('GAME-DE', { quantity: 2 })])

/** Fields that allow more kinds than the example shows. Below `redeem`, any kind is allowed. */
const alsoAllowed: readonly (readonly [place: RegExp, ...kinds: string[]])[] = [
  // order-service.md 2.9: only if applicable.
  [/^create data\.exchangeRates$/, 'nothing'],
  // Lists and objects keyed by SKU or currency may have fewer entries. But the invoice of a new order must have a
  // record for each SKU, and its amounts must add up.
  [
    /^(?!create data\.invoice\.records\.\*(\.total\.USD)?$).*(\.\*|\.products\.GAME-DE|\.total\.(EUR|USD))$/,
    'nothing',
  ],
  // order-service.md 2.7: the fields depend on the type of the item.
  [/\.metaData(\.\w+)?$/, 'nothing'],
  // order-service.md 2.8: filled when the order is final. Codes in an unknown shape must not be lost.
  [/^get data\.redeem$/, 'nothing', 'null', 'list'],
]

const allows = (place: string, kind: string): boolean =>
  place.startsWith('get data.redeem.') ||
  alsoAllowed.some(([pattern, ...kinds]) => pattern.test(place) && kinds.includes(kind))

const examples = { create: createdExample, confirm: confirmedExample, get: orderExample }

const call = async (operation: Operation, body: string) => {
  const { transport, seen } = responding({ body })
  const api = apiOver(transport)
  const outcome = await {
    create: () => api.create(order),
    confirm: () => api.confirm(id),
    get: () => api.get(id),
  }[operation]()
  return { outcome, sent: seen.length }
}

type Case = {
  readonly operation: Operation
  readonly field: Field
  readonly kind: string
  readonly value: unknown
}

/** If a field needs a whole number, a fraction is one more kind. */
const casesOf = (operation: Operation): Case[] =>
  fieldsIn(examples[operation]).flatMap((field) => {
    const others = Object.entries({ ...values, nothing: undefined }).filter(
      ([kind]) => kind !== kindOf(field.value),
    )
    const isWhole = /^(_seconds|_nanoseconds|expiresAt|quantity)$/.test(String(field.path.at(-1)))
    return [...others, ...(isWhole ? [['half', 2.5] as const] : [])].map(([kind, value]) => ({
      operation,
      field,
      kind,
      value,
    }))
  })

/** Lists the rules that the outcome breaks. */
const wrongOf = async ({ operation, field: { path }, kind, value }: Case): Promise<string[]> => {
  const { outcome, sent } = await call(
    operation,
    JSON.stringify(withValue(examples[operation], path, value)) ?? '',
  )
  const place = `${operation} ${nameOf(path)}`
  const isAllowed = allows(place, kind)
  const hasId = !['', 'data', 'data.id'].includes(nameOf(path))
  const told = JSON.stringify(outcome)
  const rules: readonly (readonly [string, boolean])[] = [
    ['is judged wrongly', outcome.kind === (isAllowed ? 'done' : 'unknown')],
    ['is asked for again', sent === 1],
    ['loses the id', isAllowed || operation !== 'create' || told.includes(`"orderId":"${id}"`) === hasId],
    ['is repeated', isAllowed || !/CANARY|4711471147|QV7K/.test(told)],
  ]
  return rules
    .filter(([, holds]) => !holds)
    .map(([rule]) => `${place} as ${kind} ${rule}: ${told.slice(0, 200)}`)
}

test.each(['create', 'confirm', 'get'] as const)(
  'in the response to %s, undocumented content makes it unusable',
  async (operation) => {
    const cases = casesOf(operation)
    expect((await Promise.all(cases.map(wrongOf))).flat()).toEqual([])
  },
)

test('more than a thousand ways are tried', () => {
  expect([...casesOf('create'), ...casesOf('confirm'), ...casesOf('get')].length).toBeGreaterThan(1_000)
})
