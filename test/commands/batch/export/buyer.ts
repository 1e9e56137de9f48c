// A batch in the journal of a test, bought order by order, and the command line that exports it.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parse } from 'csv-parse/sync'
import { onTestFinished } from 'vitest'
import { getAccountId } from '../../../../src/contract/account-id.ts'
import { checkOrderRequest } from '../../../../src/contract/order-request.ts'
import type { HttpResponse, Transport } from '../../../../src/contract/transport.ts'
import { formatLines } from '../../../../src/journal/batches/batch.ts'
import { openBatches } from '../../../../src/journal/batches/open-batches.ts'
import { type Journal, openJournal } from '../../../../src/journal/journal.ts'
import { confirm } from '../../../../src/operations/confirm/confirm.ts'
import type { Spending } from '../../../../src/operations/deps.ts'
import { offerOf } from '../../../../src/operations/offer.ts'
import { place } from '../../../../src/operations/place.ts'
import { timed } from '../../../operations/timed.ts'
import { apiOver } from '../../../support/client-api.ts'
import { apiKey, line, openService } from '../../../support/embedded.ts'
import { inSituation, realClock, type Situation } from '../../../support/in-process.ts'

type TestRow = {
  readonly sku: string
  readonly quote: string
  readonly quantity?: number
  readonly cells?: readonly string[]
}

type Plan = {
  readonly rows: readonly TestRow[]
  readonly columns?: readonly string[]
  /** The slot of each card (default: all in slot 1). */
  readonly slots?: readonly number[]
  readonly name?: string
}

// biome-ignore lint/suspicious/noExplicitAny: an answer is whatever the service says.
type Loose = any

/** Changes the data of each order that is read. */
export type ChangeOrder = (order: Loose) => void

const baseUrl = 'https://orders.example'
const account = getAccountId(baseUrl)
const owner = { profile: 'environment', origin: baseUrl, account }

const changeOrder = (answer: HttpResponse, change: ChangeOrder): HttpResponse => {
  const document = JSON.parse(String(answer.body))
  if (document.data?.uid === undefined) return answer
  change(document.data)
  return { ...answer, body: JSON.stringify(document) }
}

export const openBuyer = async ({ rows, columns = [], slots = [], name = 'orders' }: Plan) => {
  const home = mkdtempSync(path.join(tmpdir(), 'orderctl-test-'))
  const [state, folder] = ['state', 'files'].map((each) => path.join(home, each)) as [string, string]
  mkdirSync(state, { mode: 0o700 })
  mkdirSync(folder)
  const service = await openService()
  const journals: Journal[] = []
  onTestFinished(async () => {
    await Promise.all(journals.map((journal) => journal.close()))
    await service[Symbol.asyncDispose]()
    rmSync(home, { recursive: true, force: true })
  })
  const openIt = async (): Promise<Journal> => {
    const journal = await openJournal(path.join(state, 'journal.db'))
    journals.push(journal)
    return journal
  }
  const journal = await openIt()
  const batches = openBatches(journal)
  const at = service.clock.now()
  const { batch } = await batches.saveBatch(
    {
      ...owner,
      ...{ id: 'bat_1', demand: 'dem_1', name, wallet: 'USD', columns, cardKey: 'key', at },
      lastSlot: Math.max(1, ...slots),
      rows: rows.map(({ sku, quote, quantity = 1, cells = [] }, index) => ({
        ...{ line: index + 2, sku, quote, quantity, cells, productType: line(sku).productType },
      })),
      slotOf: (card) => slots[card] ?? 1,
    },
    false,
  )
  const deps: Spending = {
    ...timed(apiOver(service.transport), service.clock),
    ...{ clock: service.clock, interrupted: new AbortController().signal, journal, owner },
  }

  /** Places the order of a slot. */
  const created = async (slot: number, reference = `${name}-${String(slot).padStart(4, '0')}`) => {
    const lines = await batches.readLines(batch.number, slot)
    const claim = { batch: batch.number, slot, lines: formatLines(lines) }
    const productList = lines.map((each) => ({ ...each, quote: Number(each.quote) }))
    const checked = checkOrderRequest({ productList, wallet: 'USD', reference }, 'refused')
    if ('violations' in checked) throw new Error(JSON.stringify(checked.violations))
    const placed = await place(deps, checked.request, { claim })
    return { claim, offer: offerOf(placed.created, placed), orderId: placed.created.id }
  }

  let change: ChangeOrder = () => {}
  const asked: string[] = []
  let refuses: (orderId: string) => HttpResponse | undefined = () => undefined
  const transport: Transport = async (request) => {
    const orderId = new URLSearchParams(request.path.split('?')[1]).get('orderId') ?? ''
    asked.push(`${request.method} ${orderId}`)
    return refuses(orderId) ?? changeOrder(await service.transport(request), change)
  }
  const network = Object.assign(transport, { close: async () => {} })
  const run = (words: readonly string[], { env = {}, ...more }: Situation = {}) =>
    inSituation(words, {
      ...{ cwd: home, clock: { ...realClock, now: service.clock.now }, openNetwork: async () => network },
      env: { ORDERCTL_BASE_URL: baseUrl, ORDERCTL_API_KEY: apiKey, ORDERCTL_STATE_DIR: state, ...env },
      ...more,
    })
  const pathOf = (file: string): string => path.join(folder, file)
  const exports = (file: string, ...words: string[]) => run(['batch', 'export', name, pathOf(file), ...words])
  const read = (file: string): string => readFileSync(pathOf(file), 'utf8')

  return {
    ...{ asked, batch, batches, created, deps, folder, home, journal, pathOf, read, run, service },
    start: () => batches.startBatch(batch, { maxTotal: '10000', at }),
    /** Buys a slot. Returns the id of its order, which is final after `settle`. */
    buy: async (slot: number): Promise<string> => {
      const { claim, offer, orderId } = await created(slot)
      await confirm(deps, offer, { claim })
      return orderId
    },
    /** Lets every confirmed order become final. */
    settle: () => service.clock.advance(60_000),
    changeOrders: (next: ChangeOrder): void => {
      change = next
    },
    /** Answers each request for these orders in this way. */
    refuse: (answer: HttpResponse, ...orderIds: readonly string[]): void => {
      refuses = (orderId) => (orderIds.includes(orderId) ? answer : undefined)
    },
    exports,
    /** Exports to a new file, and returns its rows. */
    exported: async (file: string, ...words: string[]): Promise<Record<string, string>[]> => {
      const { exit, stderr } = await exports(file, ...words)
      if (exit !== 0) throw new Error(`exit ${exit}: ${stderr}`)
      return parse(read(file), { columns: true, record_delimiter: '\r\n' })
    },
    files: (): string[] => readdirSync(folder).sort(),
    listReveals: async () =>
      (await openIt()).listReveals({ profile: undefined, since: undefined, limit: 100 }),
  }
}

export type Buyer = Awaited<ReturnType<typeof openBuyer>>

/** Codes of the service, by SKU. */
export const codesOf = async ({ service }: Buyer, orderId: string): Promise<Record<string, string[]>> => {
  const { data } = await service.get(orderId)
  return Object.fromEntries(
    Object.entries(data.redeem as Record<string, Loose>).map(([sku, { cards, redeemPin }]) => [
      sku,
      redeemPin ?? cards.map(({ redeemCardCode }: Loose) => redeemCardCode),
    ]),
  )
}
