// Creates a journal with many charged orders, for the bench of `report`.
import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { formatProducts } from '../../src/contract/ordered-products.ts'
import { openJournal } from '../../src/journal/journal.ts'
import { createRandom } from '../../src/service/random.ts'

const skus = Array.from({ length: 20 }, (_, index) => `PRODUCT-${String.fromCharCode(65 + index)}`)
const wallets = ['USD', 'USD', 'EUR', 'JPY']
const states = [...Array.from({ length: 17 }, () => 'successful'), 'partial', 'failed', 'processing']
const people = Array.from({ length: 12 }, (_, index) => `person-${index + 1}`)

/** The orders were confirmed within the days before `now`: nine of ten with one product, others with up to three. */
export const createChargedJournal = async (
  home: string,
  { count, days, now }: { readonly count: number; readonly days: number; readonly now: number },
): Promise<void> => {
  mkdirSync(home, { recursive: true, mode: 0o700 })
  const file = path.join(home, 'journal.db')
  await (await openJournal(file)).close()
  using database = new DatabaseSync(file)
  const random = createRandom('report')
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item
  database.exec("BEGIN; INSERT INTO accounts (number, address) VALUES (1, 'orders.example')")
  const addActor = database.prepare("INSERT INTO actors (os_user, host) VALUES (?, 'desk')")
  for (const person of people) addActor.run(person)
  const add = database.prepare(
    `INSERT INTO orders (account, profile, origin, reference, reference_fold, order_id, standing, request, wallet, total,
       placed_at, changed_at, created_at, expires_at, confirmed_at, reserved_at, actor, products, cards, delivered)
     VALUES (1, 'shop', 'https://orders.example', $reference, $reference, $id, $state, $request, $wallet, $total,
       $at, $at, $at, $at, $at, $at, $actor, $products, $cards, $delivered)`,
  )
  for (let number = 1; number <= count; number += 1) {
    const lines = Array.from({ length: pick([1, 1, 1, 1, 1, 1, 1, 1, 1, random() < 0.5 ? 2 : 3]) }, () => ({
      ...{ sku: pick(skus), productType: 'fixed', quote: pick(['10', '25', '50']), ordered: pick([1, 2, 5]) },
      charged: `${Math.floor(random() * 50_000) + 1}.25`,
    }))
    const state = pick(states)
    const products = lines.map((line) => ({ ...line, delivered: state === 'successful' ? line.ordered : 0 }))
    const reference = `${pick(['gifts', 'team-a', 'promo'])}-${number}`
    add.run({
      ...{ reference, id: `ord_${number}`, state, wallet: pick(wallets) },
      request: JSON.stringify({
        productList: lines.map(({ ordered: quantity, charged: _, ...line }) => ({ ...line, quantity })),
        reference,
      }),
      total: lines.reduce((sum, { charged }) => sum + Number(charged), 0).toFixed(2),
      at: now - Math.floor(((count - number + random()) / count) * days * 86_400_000),
      actor: 1 + Math.floor(random() * people.length),
      products: formatProducts(products) ?? null,
      cards: lines.reduce((sum, { ordered }) => sum + ordered, 0),
      delivered: products.reduce((sum, { delivered }) => sum + delivered, 0),
    })
  }
  database.exec('COMMIT')
}
