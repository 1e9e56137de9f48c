// A rule for statements about money: 'nothing was spent' is never printed for an order that its journal spent.
import { readSaid } from '../printed.ts'
import type { Order } from '../service.ts'
import type { Ran, World } from '../world.ts'
import { normalised, type Purchases } from './intentions.ts'

const claim =
  /\bnothing (?:was |is |has been )?(?:spent|charged)\b|\b(?:costs?|spends?|spent) nothing\b|nothing is charged yet/i
/** Conditional sentences, and sentences about the run itself. */
const noClaim =
  /\bif (?!you do nothing)|\b(?:whether|can prove|proves?|proof|until)\b|\bthis run spent nothing\b/i

const findClaims = (text: string): string[] =>
  text.split(/(?<=[.!?;])\s+/).filter((sentence) => claim.test(sentence) && !noClaim.test(sentence))

type Facts = Pick<World, 'service' | 'ran'> & { readonly purchases: Purchases }

/** The journal of this process sent the confirm before, or this process did. */
const isSpentBefore = (
  order: Order,
  { process, startedAt }: Ran,
  { ran: all, purchases }: Facts,
): boolean => {
  const { confirmedBy } = order
  if (confirmedBy === undefined || purchases.machineOf(confirmedBy) !== process.machine) return false
  if (confirmedBy === process.id) return true
  const { sent = [] } = all[confirmedBy - 1]?.process ?? {}
  return sent.some((each) => each.operation === 'confirm' && each.order === order && each.at < startedAt)
}

/** The order that the journal of a machine has under this id. Undefined if that is not certain. */
const findEntry = (id: string, machine: number, { service, purchases }: Facts): Order | undefined => {
  const references = purchases.referencesOf(id, machine)
  const found = service.orders.filter(
    (order) => order.id === id && (references.size === 0 || references.has(normalised(order.reference))),
  )
  return found.length === 1 ? found[0] : undefined
}

const findWrongClaims = (ran: Ran, facts: Facts): string[] => {
  const { process, words } = ran
  const ids = new Set(facts.service.orders.map(({ id }) => id))
  // A list is about many orders.
  const subject = ['list', 'reconcile'].includes(words[0] ?? '') ? undefined : facts.purchases.meantBy(ran)
  return [process.stdout, process.stderr].flatMap(readSaid).flatMap(({ text, orderId, reference }) => {
    const claims = findClaims(text)
    if (claims.length === 0) return []
    const named = new Set(text.match(/\bsbx_\w+/g)?.filter((id) => ids.has(id)))
    if (orderId !== undefined) named.add(orderId)
    const entries = [...named].map((id) => findEntry(id, process.machine, facts))
    const about = named.size === 0 && subject?.length === 1 ? subject : entries
    return about
      .filter((order) => order !== undefined)
      .filter((order) => reference === undefined || normalised(reference) === normalised(order.reference))
      .filter((order) => isSpentBefore(order, ran, facts))
      .map(
        ({ id }) =>
          `said that nothing is spent: run ${process.id}, ${words.join(' ')}, of ${id}: ${claims[0]}`,
      )
  })
}

export const findWrongTexts = ({ ran, service }: World, purchases: Purchases): string[] =>
  ran.flatMap((each) => findWrongClaims(each, { ran, service, purchases }))
