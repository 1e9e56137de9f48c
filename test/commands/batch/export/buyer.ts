// A batch of real orders in the journal of a world, bought order by order, and the command line that exports it.

import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { parse } from 'csv-parse/sync'
import type { HttpResponse } from '../../../../src/contract/transport.ts'
import { listReveals } from '../../../../src/journal/orders/reveals.ts'
import { line } from '../../../support/embedded.ts'
import { altered, openWorld, overNetwork } from '../../../support/world.ts'
import { fillJournal, ownerAs } from '../filled-journal.ts'

type Plan = {
  readonly rows: readonly {
    readonly sku: string
    readonly quote: string
    readonly quantity?: number
    readonly cells?: readonly string[]
  }[]
  readonly columns?: readonly string[]
  /** The slot of each card (default: all in slot 1). */
  readonly slots?: readonly number[]
}

// biome-ignore lint/suspicious/noExplicitAny: a response is whatever the service sends.
type Loose = any

/** Changes the data of each order that is read. */
export type ChangeOrder = (order: Loose) => void

export const openBuyer = async ({ rows, columns = [], slots = [] }: Plan) => {
  const { home, clock, calls, runIn: run, through } = await openWorld(overNetwork)
  const folder = path.join(home, 'files')
  mkdirSync(folder)
  const { add, batches, journal } = await fillJournal(home)
  const at = clock.now()
  const { batch, buy } = await add({
    ...{ owner: ownerAs('environment'), columns, at, slotOf: (card: number) => slots[card] ?? 1 },
    rows: rows.map((row) => ({ ...row, productType: line(row.sku).productType })),
  })

  /** Places the order of a slot, and confirms it only if it became that. Returns its id. */
  const place = async (slot: number, became: 'created' | 'unknown' | 'confirmed'): Promise<string> => {
    const lines = await batches.readLines(batch.number, slot)
    const products = lines.map(({ sku, quote, quantity }) => line(sku, { quote: Number(quote), quantity }))
    const send = became === 'confirmed' ? calls.confirmed : calls.created
    const orderId = await send(products, { reference: `orders-${String(slot).padStart(4, '0')}` })
    return buy(slot, became, { at: clock.now(), orderId })
  }

  let change: ChangeOrder = () => {}
  const asked: string[] = []
  let refuses: (orderId: string) => HttpResponse | undefined = () => undefined
  through(async (request, service) => {
    const orderId = new URLSearchParams(request.path.split('?')[1]).get('orderId') ?? ''
    asked.push(`${request.method} ${orderId}`)
    const changed = (data: Loose) => {
      change(data)
      return data
    }
    return refuses(orderId) ?? altered(await service(request), changed)
  })
  const pathOf = (file: string): string => path.join(folder, file)
  const exports = (file: string, ...words: string[]) =>
    run(['batch', 'export', 'orders', pathOf(file), ...words])
  const read = (file: string): string => readFileSync(pathOf(file), 'utf8')

  return {
    ...{ asked, batch, batches, calls, clock, pathOf, place, read, run, exports },
    start: () => batches.recordStart(batch, { maxTotal: '10000', at }),
    /** Buys a slot. Returns the id of its order, which is final after `settle`. */
    buy: (slot: number): Promise<string> => place(slot, 'confirmed'),
    /** Lets every confirmed order become final. */
    settle: () => clock.pass(60_000),
    changeOrders: (next: ChangeOrder): void => {
      change = next
    },
    /** Sends this response to each request for these orders. */
    refuse: (response: HttpResponse, ...orderIds: readonly string[]): void => {
      refuses = (orderId) => (orderIds.includes(orderId) ? response : undefined)
    },
    /** Exports to a new file, and returns its rows. */
    exported: async (file: string, ...words: string[]): Promise<Record<string, string>[]> => {
      const { exit, stderr } = await exports(file, ...words)
      if (exit !== 0) throw new Error(`exit ${exit}: ${stderr}`)
      return parse(read(file), { columns: true, record_delimiter: '\r\n' })
    },
    files: (): string[] => readdirSync(folder).sort(),
    listReveals: () => listReveals(journal.read, { profile: undefined, since: undefined, limit: 100 }),
  }
}

export type Buyer = Awaited<ReturnType<typeof openBuyer>>
