// Rules for a batch: exactly the wanted cards are bought, none twice, within the cap, and the journal has every order.

import type { Access } from '../../../src/journal/access.ts'
import { listNewestBatches } from '../../../src/journal/batches/batches.ts'
import { listBatchCards } from '../../../src/journal/batches/cards.ts'
import { openJournal } from '../../../src/journal/file-journal.ts'
import type { Entry } from '../../../src/journal/orders/entries.ts'
import { listOrders } from '../../../src/journal/orders/list-orders.ts'
import type { Process } from '../processes/process.ts'
import type { Order, Service } from '../service.ts'
import type { BatchHistory } from './batch-history.ts'

type Product = { readonly sku: string; readonly quote: number | string }

const keyOf = ({ sku, quote }: Product): string => `${sku} at ${Number(quote)}`

const countCards = (lines: readonly (Product & { readonly quantity: number })[]): Map<string, number> => {
  const counts = new Map<string, number>()
  for (const line of lines) counts.set(keyOf(line), (counts.get(keyOf(line)) ?? 0) + line.quantity)
  return counts
}

const countAll = (lines: readonly { readonly quantity: number }[]): number =>
  lines.reduce((sum, { quantity }) => sum + quantity, 0)

const listBought = ({ effects }: Service): Order[] =>
  effects.flatMap(({ operation, order }) => (operation === 'confirm' ? [order] : []))

/** The amount that the service charged for the confirmed orders. */
export const findSpent = (service: Service): number =>
  listBought(service).reduce((sum, order) => sum + Math.round(order.total * 100), 0) / 100

export type Facts = {
  readonly history: Pick<BatchHistory, 'rows'>
  readonly service: Service
  readonly journalFile: string
  readonly cap: number
}

/** Rules that hold at every moment. */
export const findBrokenRules = async ({ history, service, journalFile, cap }: Facts): Promise<string[]> => {
  const bought = listBought(service)
  const wanted = countCards(history.rows)
  const surplus = [...countCards(bought.flatMap(({ products }) => products))].filter(
    ([key, count]) => count > (wanted.get(key) ?? 0),
  )
  const spent = findSpent(service)
  return [
    ...surplus.map(([key, count]) => `bought twice: ${count} cards ${key}, wanted ${wanted.get(key) ?? 0}`),
    ...(spent > cap ? [`exceeded the cap: ${spent} of ${cap} spent`] : []),
    ...(await findJournalErrors(bought, journalFile)),
  ]
}

/** Reads a journal that is open only meanwhile. */
const readJournal = async <Found>(file: string, read: (access: Access) => Promise<Found>): Promise<Found> => {
  const journal = await openJournal(file)
  return read(journal.read).finally(journal.close)
}

const findJournalErrors = async (bought: readonly Order[], journalFile: string): Promise<string[]> => {
  const entries = await readJournal(journalFile, (access) => listOrders(access, { limit: 10_000 }))
  // A wrong response to create may have given the id to a different entry.
  const entryOf = ({ id, reference }: Order): Entry | undefined => {
    const named = entries.filter(({ orderId }) => orderId === id)
    return named.find((entry) => entry.reference === reference) ?? named[0]
  }
  const lost = bought.filter((each) => entryOf(each) === undefined).map(({ id }) => `lost purchase: ${id}`)
  const slots = bought.map((each) => entryOf(each)?.slot)
  const twice = slots.filter((slot, index) => slot !== undefined && slots.indexOf(slot) !== index)
  return [...lost, ...twice.map((slot) => `slot ${slot} was bought twice`)]
}

/** Rules for a run that ended by itself. */
export const findRunErrors = (
  { history, service, cap }: Facts,
  { exit, stdout, stderr }: Process,
): string[] => {
  const wanted = countAll(history.rows)
  if (exit === 1) return [`a defect: ${stderr}`]
  if (exit !== 0) return []
  const { cardCounts: cards, state, spent } = JSON.parse(stdout)
  const facts = `${state}, ${JSON.stringify(cards)}, spent ${spent} of ${cap}`
  const isComplete = state === 'successful' && cards.delivered === wanted && cards.ordered === wanted
  const taken = findSpent(service)
  return [
    ...(isComplete ? [] : [`incomplete with exit 0: ${facts}`]),
    ...(Number(spent) === taken ? [] : [`wrong sum: the service took ${taken}: ${facts}`]),
  ]
}

/** Rules for a batch that is complete. */
export const findFinalErrors = async ({ history, service, journalFile }: Facts): Promise<string[]> => {
  const wanted = countAll(history.rows)
  const count = countAll(listBought(service).flatMap(({ products }) => products))
  const cards = await readJournal(journalFile, async (access) => {
    const [batch] = await listNewestBatches(access, { limit: 1 })
    return batch === undefined ? [] : listBatchCards(access, batch.number)
  })
  const hashes = new Set(cards.map(({ hash }) => hash))
  const isEachOwn = hashes.size === wanted && !hashes.has(undefined)
  return [
    ...(count === wanted ? [] : [`lost cards: ${count} of ${wanted} were bought`]),
    ...(isEachOwn ? [] : ['two rows have one card, or a row has none']),
  ]
}
