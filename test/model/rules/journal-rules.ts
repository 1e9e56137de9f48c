// Rules for the journal, as `list` and `reconcile` print it.
import { isPastPending } from '../../../src/contract/states.ts'
import { exitCodes } from '../../../src/errors.ts'
import { buy } from '../histories/moves.ts'
import type { Order } from '../service.ts'
import type { Ran, World } from '../world.ts'
import { endsFailed, hasAccepted, normalised, type Purchases } from './intentions.ts'

type Entry = {
  readonly id: string | null
  readonly reference: string | null
  readonly state: string
}

export const entriesOf = ({ process }: Ran): Entry[] =>
  process.exit === exitCodes.internal.code ? [] : JSON.parse(process.stdout || '[]')

/** A proxy may have repeated the response to a different create, and so given one id to two orders. */
const isAbout = (order: Order, { reference }: Entry): boolean =>
  normalised(order.reference) === normalised(reference ?? '')

const has = (all: readonly Ran[], wanted: string): boolean =>
  all.some(({ run }) => run.faults.some(({ response }) => response === wanted))

/** Every order whose response was recorded is there, once, and stands as it does at the service. */
export const findDifferences = async (
  { ran, service, ownerOf }: World,
  entries: readonly Entry[],
): Promise<string[]> => {
  const problems: string[] = []
  const recorded = new Set(ran.flatMap(({ process }) => [...process.recorded]))
  for (const order of service.orders.filter((each) => ownerOf(each) === 1)) {
    const { id } = order
    const rows = entries.filter((entry) => entry.id === id && isAbout(order, entry))
    if (rows.length === 0 && recorded.has(id)) problems.push(`not in the journal: ${id}`)
    if (rows.length > 1 && !has(ran, 'swapped')) problems.push(`several rows in the journal: of ${id}`)
    const { state } = await service.truth(order)
    for (const row of rows) {
      const isSame = state === 'created' ? !isPastPending(row.state) : row.state === state
      if (!isSame)
        problems.push(`the journal disagrees with the service: ${id} is ${row.state} here, ${state} there`)
    }
  }
  return problems
}

/**
 * Once all is settled, a reference that bought nothing is free, and one that bought something is not. If the service
 * cannot tell, the reference may also be blocked.
 */
export const findBlockedReferences = async (
  world: World,
  purchases: Purchases,
  canTell: boolean,
): Promise<string[]> => {
  const problems: string[] = []
  for (const [index, reference] of purchases.referencesOn(1).entries()) {
    const paid = purchases.paidAt(`1: ${reference}`, Number.POSITIVE_INFINITY)
    const [first] = paid
    if (first === undefined && (hasAccepted(world.ran) || purchases.isShared(1, reference))) continue
    const idempotent = paid.length === 1 && (index + world.ran.length) % 2 === 0
    const product = idempotent && first ? productOf(first) : 'GAME-US:25'
    const { process } = await world.run(buy({ reference, product, watch: true, idempotent }))
    if (!canTell) continue
    const ended = first !== undefined && endsFailed(first) ? exitCodes.failed.code : exitCodes.ok.code
    const expected = first === undefined ? exitCodes.ok.code : idempotent ? ended : exitCodes.duplicate.code
    if (process.exit === expected) continue
    const what = first === undefined ? 'still blocked' : idempotent ? 'not idempotent' : 'bought again'
    problems.push(
      `${what} at the end: ${reference}, exit ${process.exit}, not ${expected}: ${process.stderr}`,
    )
  }
  return problems
}

const productOf = ({ products: [product] }: Order): string => {
  const { sku = '', quote = 0, quantity = 1 } = product ?? {}
  return `${sku}:${quote}x${quantity}${sku === 'COFFEE-US' ? '/range' : ''}`
}
