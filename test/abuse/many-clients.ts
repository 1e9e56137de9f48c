// Fifty clients of two services on one state file create, confirm and read orders in the order that the seed gives.
import { existsSync } from 'node:fs'
import { formatDecimal } from '../../src/contract/decimal.ts'
import { openEmbedded } from '../../src/service/embedded.ts'
import { createRandom } from '../../src/service/random.ts'
import { apiKey, callsOver, countingClock, type Reply } from '../support/embedded.ts'
import { brokenInvariants, readChargedIds } from '../support/invariants.ts'
import { scarce } from '../support/scarce.ts'
import { openScratch, readDatabase } from '../support/scratch.ts'

const clientCount = 50
const turns = 4
// A real disk would be slower at every step.
const memoryDisk = existsSync('/dev/shm') ? '/dev/shm' : undefined

const products = [...scarce.products.values()]
const ranks = ['created', 'confirmed', 'processing']
const rankOf = (state: string): number => (ranks.includes(state) ? ranks.indexOf(state) : ranks.length)

export const playManyClients = async (seed: number): Promise<string[]> => {
  using scratch = openScratch(memoryDisk)
  // Checks after each call, which takes ten times as long, or after each turn of all clients.
  const isClose = seed % 10 === 0
  const random = createRandom(`crowd ${seed}`)
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item
  const clock = countingClock('one')
  const services = ['a', 'b'].map((who) =>
    openEmbedded({
      ...{ clock: { ...clock, newId: countingClock(who).newId }, catalogue: scarce, seed: 'crowd', apiKey },
      stateFile: scratch.file,
    }),
  )
  const calls = services.map(({ transport }) => callsOver(transport))
  const problems: string[] = []
  const ids: string[] = []
  const won: string[] = []
  const seen = new Map<string, { readonly state: string; readonly text: string }>()
  const isOneOf = (what: string, { status, text }: Reply, allowed: readonly number[]): void => {
    if (!allowed.includes(status)) problems.push(`${what} answered ${status}: ${text}`)
  }

  const create = async (service: (typeof calls)[number]): Promise<void> => {
    const line = (sku: string, quote: number) => ({
      sku,
      productType: 'fixed',
      quote,
      quantity: 1 + Math.floor(random() * 3),
    })
    const product = pick(products)
    const quote = 'quote' in product ? Number(formatDecimal(product.quote)) : 1
    const reply = await service.create([line(product.sku, quote)], { wallet: pick(['USD', 'EUR', 'JPY']) })
    isOneOf('create', reply, [200, 400, 500])
    if (reply.status !== 200) return
    if (ids.includes(reply.data.id)) problems.push(`${reply.data.id} was given out twice`)
    ids.push(reply.data.id)
  }
  const confirm = async (service: (typeof calls)[number]): Promise<void> => {
    const id = pick(ids)
    const reply = await service.confirm(id)
    isOneOf('confirm', reply, [200, 400, 404, 419])
    if (reply.status === 200) won.push(id)
  }
  const get = async (service: (typeof calls)[number]): Promise<void> => {
    const id = pick(ids)
    const reply = await service.get(id)
    isOneOf('get', reply, [200])
    const { state } = reply.data
    const { state: was, text } = seen.get(id) ?? { state: 'created', text: '' }
    if (rankOf(was) > rankOf(state)) problems.push(`${id} was ${was}, is ${state}`)
    const hasEnded = rankOf(was) === ranks.length
    if (hasEnded && text !== reply.text) problems.push(`${id} has ended, and changed: ${text} ${reply.text}`)
    seen.set(id, { state, text: reply.text })
  }
  const checkInvariants = (): void => {
    problems.push(...readDatabase(scratch.file, brokenInvariants).map((each) => JSON.stringify(each)))
  }
  const act = (): Promise<void> => {
    const service = pick(calls)
    const chance = random()
    if (chance < 0.08) clock.advance(pick([1, 499, 500, 500, 2_000, 2_000, 60_000, 599_000]))
    if (ids.length === 0 || chance < 0.4) return create(service)
    return chance < 0.8 ? confirm(service) : get(service)
  }

  try {
    for (let turn = 0; turn < turns; turn += 1) {
      await Promise.all(
        Array.from({ length: clientCount }, () => (isClose ? act().then(checkInvariants) : act())),
      )
      checkInvariants()
    }
    const charged = readDatabase(scratch.file, readChargedIds)
    // Exactly the orders whose confirm succeeded are charged, once each.
    if (charged.toSorted().join() !== won.toSorted().join())
      problems.push(`${won} were answered as confirmed, ${charged} are`)
  } finally {
    for (const service of services) service.close()
  }
  return problems
}
