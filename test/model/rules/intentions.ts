// Which purchases were intended. One intention may be tried many times, but buys once. The promise is one of each
// journal: a machine with its own journal has its own intentions, and so has a different program.
import { exitCodes } from '../../../src/errors.ts'
import { type Sent, sentBy } from '../calls.ts'
import type { Command } from '../histories/steps.ts'
import type { Order, Service } from '../service.ts'
import type { Ran } from '../world.ts'

type Create = Extract<Command, { name: 'create' }>

/** A create that the history types, not one that orderctl has printed. */
export const createOf = ({ run }: Ran): Create | undefined =>
  run.command.name === 'create' ? run.command : undefined

export const normalised = (reference: string): string => reference.normalize('NFC').trim()

/** A confirm accepted an order that differs from the placed one. */
export const hasAccepted = (all: readonly Ran[]): boolean =>
  all.some(({ run: { command } }) => command.name === 'confirm' && command.acceptChanges)

/** The order ends failed or rejected. It keeps its reference: its document does not mention refunds. */
export const endsFailed = ({ products }: Order): boolean =>
  products.some(({ sku }) => /^TEST-(FAIL|REJECT)/.test(sku))

const flagOf = (words: readonly string[], flag: string): string | undefined =>
  words.includes(flag) ? words[words.indexOf(flag) + 1] : undefined

/** A confirm was sent, and its outcome is unknown. */
const isOpen = ({ process }: Ran): boolean =>
  sentBy(process, 'confirm').length > 0 &&
  process.knowsConfirmed.size === 0 &&
  (process.isKilled || process.exit === exitCodes.unknown.code)

const hasChangedNothing = ({ process }: Ran): boolean =>
  process.exit !== exitCodes.ok.code && process.sent.every(({ operation }) => operation === 'get')

/** Without a reference, the same words mean the same purchase only if the outcome of the first try is unknown. */
const isTriedAgain = (before: Ran | undefined, ran: Ran): boolean => {
  const earlier = before && createOf(before)
  if (before?.process.endedAt === undefined || earlier === undefined || earlier.again !== undefined)
    return false
  if (before.process.machine !== ran.process.machine) return false
  const isSame = earlier.reference === undefined && earlier.product === createOf(ran)?.product
  return isSame && before.process.endedAt <= ran.startedAt && (isOpen(before) || hasChangedNothing(before))
}

export type Purchases = ReturnType<typeof purchasesOf>

export const purchasesOf = (all: readonly Ran[], { effects, orders }: Service) => {
  const machineOf = (by: number | undefined): number | undefined => all[(by ?? 0) - 1]?.process.machine
  const sentOn = (machine: number): Sent[] =>
    all.flatMap(({ process }) => (process.machine === machine ? process.sent : []))
  /** The references that this id may have in a machine's journal. */
  const referencesOf = (id: string, machine: number): Set<string> =>
    new Set(sentOn(machine).flatMap(({ named }) => (named?.id === id ? [normalised(named.reference)] : [])))
  /**
   * A repeated response returned a different program's order with this reference. No one can distinguish it from an own
   * order.
   */
  const isAdopted = (order: Order, machine: number): boolean =>
    referencesOf(order.id, machine).has(normalised(order.reference))
  const isOwn = (order: Order, machine: number): boolean =>
    machineOf(order.by) === machine || isAdopted(order, machine)
  /**
   * A confirm of a different program's order, by its id. Then this machine's journal contains it with its reference.
   */
  const isConfirmedFor = (order: Order, machine: number): boolean =>
    !isOwn(order, machine) &&
    sentOn(machine).some((sent) => sent.operation === 'confirm' && sent.order === order)
  const withReference = (machine: number, reference: string): Order[] =>
    orders.filter(
      (order) =>
        normalised(order.reference) === normalised(reference) &&
        (isOwn(order, machine) || isConfirmedFor(order, machine)),
    )
  /** The orders that a name selects on a machine. Undefined if only the journal knows. */
  const findMeant = (name: string, machine: number): Order[] | undefined => {
    if (name === '@last') return undefined
    if (name.startsWith('ref:')) return withReference(machine, name.slice(4))
    const references = referencesOf(name, machine)
    return orders.filter(
      (order) =>
        order.id === name &&
        (references.size === 0 || (isOwn(order, machine) && references.has(normalised(order.reference)))),
    )
  }

  const namesOfRuns = new Map<number, string>()
  const nameOf = (order: Order): string => {
    const ran = all[order.by - 1]
    if (ran === undefined) return `another program ${orders.indexOf(order)}`
    const { machine, id } = ran.process
    const own = `${machine}: ${normalised(order.reference)}`
    const again = flagOf(ran.words, '--again')
    if (again === undefined) return namesOfRuns.get(id) ?? own
    const target = findMeant(again, machine)
      ?.filter(({ at }) => at < ran.startedAt)
      .at(-1)
    // Two orders may have the id in the journal.
    const isNamed = referencesOf(again, machine).has(normalised(order.reference))
    if (target === undefined || isNamed) return own
    // A person who types it wants one more order than the confirmed one, or the cards that it did not deliver. An
    // operator who obeys does not.
    const wantsMore = createOf(ran) !== undefined && !ran.words.includes('--missing')
    return (wantsMore && target.knownAt.has(machine)) || endsFailed(target) ? own : nameOf(target)
  }
  for (const [index, ran] of all.entries()) {
    const { machine, id } = ran.process
    if (ran.words[0] !== 'create' || ran.words.includes('--again')) continue
    const reference = flagOf(ran.words, '--reference')
    const earlier = isTriedAgain(all[index - 1], ran) ? namesOfRuns.get(id - 1) : undefined
    namesOfRuns.set(
      id,
      reference === undefined
        ? (earlier ?? `${machine}: without reference ${id}`)
        : `${machine}: ${normalised(reference)}`,
    )
  }

  const nameOfRun = ({ process: { id, machine }, words }: Ran): string | undefined => {
    const again = flagOf(words, '--again')
    const own = orders.findLast(({ by }) => by === id)
    if (own !== undefined && again !== undefined) return nameOf(own)
    const target = again === undefined ? undefined : findMeant(again, machine)?.at(-1)
    return target === undefined ? namesOfRuns.get(id) : nameOf(target)
  }

  /** Confirmed by the machine that created it. */
  const isBoughtHere = ({ by, confirmedBy }: Order): boolean =>
    confirmedBy !== undefined && machineOf(by) !== undefined && machineOf(by) === machineOf(confirmedBy)

  /** Orders of this intention that were paid before this time. */
  const paidAt = (name: string, at: number): Order[] =>
    orders.filter((order) => (order.confirmedAt ?? at) < at && isBoughtHere(order) && nameOf(order) === name)

  const mayBeMeant = ({ words, process }: Ran, order: Order): boolean =>
    words.includes('@last') || (findMeant(words[1] ?? '', process.machine) ?? []).includes(order)

  /** How many more purchases --allow-duplicate requested. */
  const allowed = (name: string): number =>
    all.filter((ran) => {
      if (!ran.words.includes('--allow-duplicate')) return false
      if (createOf(ran) !== undefined) return nameOfRun(ran) === name
      return orders.some((order) => nameOf(order) === name && mayBeMeant(ran, order))
    }).length

  return {
    ...{ nameOfRun, referencesOf, machineOf, paidAt },
    /** Whether an order with this reference was created here and confirmed elsewhere, or the other way round. */
    isShared: (machine: number, reference: string): boolean =>
      withReference(machine, reference).some(
        (order) =>
          isConfirmedFor(order, machine) || (order.confirmedBy !== undefined && !isBoughtHere(order)),
      ),
    /** The orders that a command is about. Undefined if only the journal knows. */
    meantBy: (ran: Ran): Order[] | undefined => {
      const { words, process } = ran
      if (words[0] !== 'create') return findMeant(words[1] ?? '', process.machine)
      const name = nameOfRun(ran)
      const isMeant = (order: Order): boolean =>
        nameOf(order) === name ||
        (isAdopted(order, process.machine) && name === `${process.machine}: ${normalised(order.reference)}`)
      return name === undefined ? undefined : orders.filter(isMeant)
    },
    /** The references that the history gave on this machine. */
    referencesOn: (machine: number): string[] => [
      ...new Set(
        all.flatMap((ran) => {
          const reference = createOf(ran)?.again === undefined ? createOf(ran)?.reference : undefined
          return ran.process.machine === machine && reference !== undefined ? [normalised(reference)] : []
        }),
      ),
    ],
    boughtTwice: (): string[] =>
      effects.flatMap(({ operation, order, at, by }) => {
        if (operation !== 'confirm' || !isBoughtHere(order)) return []
        const name = nameOf(order)
        const others = paidAt(name, at).map(({ id }) => id)
        if (others.length <= allowed(name)) return []
        return [`bought twice: ${name}, by ${others} and then by ${order.id}, confirmed by run ${by}`]
      }),
  }
}
