// Rules for the journal, as `list` and `reconcile` print it.
import { exitCodes } from '../../../src/exit-codes.ts'
import type { Order } from '../service.ts'
import type { Ran, World } from '../world.ts'
import { endsFailed, hasAccepted, normalised, type Purchases } from './intentions.ts'

type Entry = {
  readonly orderId: string | null
  readonly reference: string | null
  readonly state: string
  readonly next?: string
}

/** States and texts that say that nothing was spent, and nothing will be. */
const unspentStates = ['expired', 'not-spent', 'refused', 'not-sent']
const unspentText = /spends nothing|nothing was spent/i

/** How the journal may call an order that nobody confirmed, once it has expired. */
const unconfirmedStates = ['created', 'expired', 'not-spent']

export const entriesOf = ({ process }: Ran): Entry[] =>
  process.exit === exitCodes.internal.code ? [] : JSON.parse(process.stdout || '[]')

/** A proxy may have answered a create with the response to another, and given one id to two orders. */
const isAbout = (order: Order | undefined, { reference }: Entry): boolean =>
  order !== undefined && normalised(order.reference) === normalised(reference ?? '')

const printsEntries = ({ run: { command, output }, process }: Ran): boolean =>
  ['reconcile', 'list'].includes(command.name) && output === 'json' && !process.isKilled

/** A confirm that was sent before the command said so took effect all the same. */
export const findWrongClaims = ({ ran, service }: World): string[] => {
  const claimed = ran.filter(printsEntries).flatMap((by) => entriesOf(by).map((entry) => ({ entry, by })))
  return claimed.flatMap(({ entry, by }) => {
    const { orderId, state, next = '' } = entry
    if (orderId === null || !isAbout(service.orders.get(orderId), entry)) return []
    if (!unspentStates.includes(state) && !unspentText.test(next)) return []
    const effect = service.effects.find((each) => each.operation === 'confirm' && each.orderId === orderId)
    if (effect === undefined || effect.by > by.process.id) return []
    return [`said that nothing is spent: ${by.words[0]} of ${orderId}, ${state}: ${next}`]
  })
}

const has = (all: readonly Ran[], wanted: string): boolean =>
  all.some(({ run }) => run.faults.some(({ response }) => response === wanted))

/** Every order whose response was recorded is there, once, and stands as it does at the service. */
export const findDifferences = async (
  { ran, service }: World,
  entries: readonly Entry[],
): Promise<string[]> => {
  const problems: string[] = []
  const recorded = new Set(ran.flatMap(({ process }) => [...process.recorded]))
  for (const order of service.orders.values()) {
    const { id } = order
    const rows = entries.filter((entry) => entry.orderId === id && isAbout(order, entry))
    if (rows.length === 0 && recorded.has(id)) problems.push(`not in the journal: ${id}`)
    if (rows.length > 1 && !has(ran, 'swapped')) problems.push(`several rows in the journal: of ${id}`)
    const { state } = await service.truth(id)
    for (const row of rows) {
      const isSame = state === 'created' ? unconfirmedStates.includes(row.state) : row.state === state
      if (!isSame)
        problems.push(`the journal disagrees with the service: ${id} is ${row.state} here, ${state} there`)
    }
  }
  return problems
}

/** Once all is settled, a reference that bought nothing is free, and one that bought something is not. */
export const findBlockedReferences = async (world: World, purchases: Purchases): Promise<string[]> => {
  const references = new Set([...purchases.names.values()].filter((name) => !name.startsWith('without')))
  const problems: string[] = []
  for (const [index, reference] of [...references].entries()) {
    const paid = purchases.paidAt(reference, Number.POSITIVE_INFINITY)
    const [first] = paid
    if (first === undefined && hasAccepted(world.ran)) continue
    const idempotent = paid.length === 1 && (index + world.ran.length) % 2 === 0
    const product = idempotent && first !== undefined ? purchases.productOf(first) : 'GAME-US:25'
    const { process } = await world.run({
      ...{ name: 'create', reference, product, confirm: true, watch: true },
      ...{ idempotent, allowDuplicate: false },
    })
    const ended = endsFailed(product) ? exitCodes.failed.code : exitCodes.ok.code
    const expected = first === undefined ? exitCodes.ok.code : idempotent ? ended : exitCodes.duplicate.code
    if (process.exit === expected) continue
    const what = first === undefined ? 'still blocked' : idempotent ? 'not idempotent' : 'bought again'
    problems.push(
      `${what} at the end: ${reference}, exit ${process.exit}, not ${expected}: ${process.stderr}`,
    )
  }
  return problems
}
