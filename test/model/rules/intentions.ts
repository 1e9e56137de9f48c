// Which purchases were intended. One intention may be tried many times, but buys once.
import { exitCodes } from '../../../src/exit-codes.ts'
import { hasLeft } from '../calls.ts'
import type { Command } from '../histories/steps.ts'
import type { Order, Service } from '../service.ts'
import type { Ran } from '../world.ts'

type Create = Extract<Command, { name: 'create' }>

export const createOf = ({ run }: Ran): Create | undefined =>
  run.command.name === 'create' ? run.command : undefined

export const normalised = (reference: string): string => reference.normalize('NFC').trim()

/** A confirm accepted an order that differs from the placed one. */
export const hasAccepted = (all: readonly Ran[]): boolean =>
  all.some(({ run: { command } }) => command.name === 'confirm' && command.acceptChanges)

/** The order ends failed or rejected. It keeps its reference: its document does not mention refunds. */
export const endsFailed = (product: string): boolean => /^TEST-(FAIL|REJECT)/.test(product)

/** A confirm was sent, and its outcome is unknown. */
const isOpen = ({ process }: Ran): boolean =>
  process.sent.some((sent) => sent.operation === 'confirm' && hasLeft(sent)) &&
  process.knowsConfirmed.size === 0 &&
  (process.isKilled || process.exit === exitCodes.unknown.code)

const hasChangedNothing = ({ process }: Ran): boolean =>
  process.exit !== exitCodes.ok.code && process.sent.every(({ operation }) => operation === 'get')

/** Without a reference, the same words mean the same purchase only if the outcome of the first try is unknown. */
const isTriedAgain = (before: Ran | undefined, ran: Ran): boolean => {
  const earlier = before && createOf(before)
  if (before?.process.endedAt === undefined || earlier === undefined) return false
  const isSame = earlier.reference === undefined && earlier.product === createOf(ran)?.product
  return isSame && before.process.endedAt <= ran.startedAt && (isOpen(before) || hasChangedNothing(before))
}

/** Maps the number of a run to the name of its intention. */
const intentionsOf = (all: readonly Ran[]): ReadonlyMap<number, string> => {
  const names = new Map<number, string>()
  for (const [index, ran] of all.entries()) {
    const create = createOf(ran)
    if (create === undefined) continue
    const { id } = ran.process
    const { reference } = create
    const earlier = isTriedAgain(all[index - 1], ran) ? names.get(id - 1) : undefined
    names.set(id, reference === undefined ? (earlier ?? `without reference ${id}`) : normalised(reference))
  }
  return names
}

export type Purchases = ReturnType<typeof purchasesOf>

export const purchasesOf = (all: readonly Ran[], { effects, orders, confirmedAt }: Service) => {
  const names = intentionsOf(all)
  const productOf = ({ by }: Order): string => createOf(all[by - 1] as Ran)?.product ?? ''
  const nameOf = (orderId: string): string => names.get(orders.get(orderId)?.by ?? 0) ?? ''

  /** Orders of this intention that were paid before this time. */
  const paidAt = (name: string, at: number): Order[] =>
    [...orders.values()].filter(({ id }) => (confirmedAt(id) ?? at) < at && nameOf(id) === name)

  const mayBeMeant = (words: readonly string[], { id, reference }: Order): boolean =>
    words.includes(id) || words.includes(`ref:${reference}`) || words.includes('@last')

  /** How many more purchases somebody asked for by --allow-duplicate. */
  const allowed = (name: string): number =>
    all.filter(({ run: { command }, process, words }) => {
      if (command.name === 'create') return command.allowDuplicate && names.get(process.id) === name
      if (command.name !== 'confirm' || !command.allowDuplicate) return false
      return [...orders.values()].some((order) => nameOf(order.id) === name && mayBeMeant(words, order))
    }).length

  return {
    names,
    nameOf,
    productOf,
    paidAt,
    boughtTwice: (): string[] =>
      effects.flatMap(({ operation, orderId, at, by }) => {
        if (operation !== 'confirm') return []
        const name = nameOf(orderId)
        const others = paidAt(name, at).map(({ id }) => id)
        if (others.length <= allowed(name)) return []
        return [`bought twice: ${name}, by ${others} and then by ${orderId}, confirmed by run ${by}`]
      }),
  }
}
