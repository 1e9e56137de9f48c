// The products and the charged amount of orders in the journal: written at the create, updated by responses.

import { type Entry, getOrder } from '../../src/journal/orders/entries.ts'
import { recordNews } from '../../src/journal/orders/write-order.ts'
import type { Step, Verbs } from '../support/steps.ts'
import { journalKinds, type SharedJournal } from './journals.ts'
import { update } from './order-desk.ts'
import { createOrderVerbs, testScripts } from './script.ts'

const request = JSON.stringify({
  productList: [
    { sku: 'GAME-US', productType: 'fixed', quote: 25, quantity: 2 },
    { sku: 'FOOD', productType: 'range', quote: 12.5, quantity: 1 },
  ],
})

const products = {
  ordered: '[["FOOD","range","12.5",1,null,null],["GAME-US","fixed","25",2,null,null]]',
  priced: '[["FOOD","range","12.5",1,null,"11.9"],["GAME-US","fixed","25",2,null,"50"]]',
  delivered: '[["FOOD","range","12.5",1,0,"11.9"],["GAME-US","fixed","25",2,2,"50"]]',
  odd: '[["FOOD","range","12.5",-7,null,null],["GAME-US","fixed","25",2,null,null]]',
  'odd and priced': '[["FOOD","range","12.5",-7,null,"11.9"],["GAME-US","fixed","25",2,null,"50"]]',
  fewer: '[["GAME-US","fixed","25",1,null,null]]',
}

const createDetailVerbs = (shared: SharedJournal): Verbs => {
  const { journal } = shared
  const verbs = createOrderVerbs(shared)
  let at = 3_000
  const read = ({ products: name, ...fields }: Step['fields']) =>
    name === undefined ? fields : { ...fields, products: products[name as keyof typeof products] }
  return {
    ...verbs,
    created: (step) => verbs.created?.({ ...step, fields: read(step.fields) }) ?? Promise.reject(),
    says: async ({ words: [state = ''], fields }) => {
      at += 1_000
      const before = { entry: (await getOrder(journal.read, 1)) as Entry, calls: [] }
      const fact = { kind: 'seen', ...update(state, { at, ...read(fields) }) } as const
      return (await recordNews(journal, before, fact)) === before ? 'unchanged' : ''
    },
    details: async () => {
      const order = await getOrder(journal.read, 1)
      const { cards, delivered, charged, total } = order as Entry
      const [name = 'none'] = Object.entries(products).find(([, each]) => each === order?.products) ?? []
      return Object.entries({ cards, delivered, charged, total })
        .filter(([, value]) => value !== undefined)
        .map(([field, value]) => `, ${field} ${value}`)
        .join('')
        .replace(/^/, name)
    },
  }
}

testScripts(
  journalKinds,
  `
  == a create has the products of its request, and then their prices
  create request=${request}; details → ordered, cards 3; created o1 total=61.9 products=priced
  details → priced, cards 3, total 61.9

  == a create whose response had only an id keeps the products of its request
  create request=${request}; created o1 outcome=unknown; details → ordered, cards 3, total 25

  == quantities that are no counts are kept, and not counted
  create request=${request}; created o1 products=priced; says created products=odd; details → odd and priced, total 25

  == a response adds what was delivered
  create request=${request}; created o1 products=priced; confirm o1; end done
  says partial total=25 products=delivered; details → delivered, cards 3, delivered 2, total 25

  == a response that says the says again is not written, and the first one shows the reference
  create request=${request}; created o1 total=61.9 products=priced
  says created total=61.9 products=priced; says created total=61.9 products=priced → unchanged
  confirm o1; end done; says confirmed total=61.9 products=priced → unchanged
  says partial total=61.9 products=delivered; says partial total=61.9 products=delivered → unchanged
  says partial total=61.9 products=priced → unchanged

  == the last invoice after the confirmation counts, and the total stays
  create request=${request}; created o1 total=61.9 products=priced; says created total=99 products=priced
  details → priced, cards 3, total 61.9; confirm o1; end done; says processing total=60 products=priced
  details → priced, cards 3, charged 60, total 61.9; says partial total=50 products=delivered
  details → delivered, cards 3, delivered 2, charged 50, total 61.9
  says partial total=61.9 products=delivered
  details → delivered, cards 3, delivered 2, charged 61.9, total 61.9

  == an older response changes nothing
  create request=${request}; created o1 total=61.9 products=priced; confirm o1; end done
  says partial total=50 products=delivered
  says processing total=61.9 products=fewer; says created total=61.9 products=ordered
  details → delivered, cards 3, delivered 2, charged 50, total 61.9

  == an order that was made elsewhere gets its products from the first response
  confirm o1; end done; details → none, total 25; says confirmed total=25 products=priced
  details → priced, cards 3, total 25

  == a damaged request has no products, and stops no create
  create request={"productList":[{"sku":1}]}; details → none
  `,
  createDetailVerbs,
)
