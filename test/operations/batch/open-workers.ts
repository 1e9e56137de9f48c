// Workers of one batch, each with a connection of its own to the journal and the same service.
import { onTestFinished } from 'vitest'
import { createApi } from '../../../src/client/api.ts'
import { withCredentials } from '../../../src/client/credentials.ts'
import { openBatches } from '../../../src/journal/batches/open-batches.ts'
import { createReportTable } from '../../../src/journal/batches/report-table.ts'
import type { Journal } from '../../../src/journal/journal.ts'
import { createCounter } from '../../../src/operations/batch/batch-run.ts'
import { createPace } from '../../../src/operations/batch/pace.ts'
import { createPoller } from '../../../src/operations/batch/poller.ts'
import { createRefusedProducts } from '../../../src/operations/batch/refused-products.ts'
import { runBatch } from '../../../src/operations/batch/run-batch.ts'
import { builtInCatalogue } from '../../../src/service/catalogue.ts'
import { openEmbedded } from '../../../src/service/embedded.ts'
import type { JournalKind } from '../../journal/journals.ts'
import { apiKey } from '../../support/embedded.ts'
import { realClock as clock } from '../../support/in-process.ts'
import { timed } from '../timed.ts'

const owner = { profile: 'test', origin: 'test:', account: { address: 'test' } }

type Begun = { readonly kind: string }
type Observer = {
  /** Called before each intent to send, with its operation. */
  readonly before?: (operation: 'create' | 'confirm') => Promise<unknown>
}

export const openWorkers = async (kind: JournalKind, slotCount: number) => {
  const service = openEmbedded({
    ...{ clock, catalogue: builtInCatalogue(), stateFile: ':memory:', apiKey, processingMs: 0 },
  })
  const shared = await kind.openShared()
  onTestFinished(async () => {
    await shared.close()
    service.close()
  })
  const batches = openBatches(shared.journal)
  const rows = [
    { line: 1, productType: 'fixed', quantity: slotCount, cells: [], sku: 'GAME-US', quote: '25' },
  ]
  const { batch } = await batches.saveBatch(
    {
      ...owner,
      ...{ id: 'bat_1', demand: 'dem_1', name: 'gifts', wallet: 'USD', columns: [], cardKey: 'key' },
      ...{ at: clock.now(), lastSlot: slotCount, rows, slotOf: (card) => card + 1 },
    },
    false,
  )
  await batches.startBatch(batch, { maxTotal: '100000', at: clock.now() })

  const connect = async (): Promise<Journal> => {
    const journal = await kind.openAt(shared.address)
    onTestFinished(journal.close)
    journal.groupWrites()
    return journal
  }

  /** Runs a worker to its end. Returns the end, and the outcomes of its intents to send. */
  const work = async ({ before = async () => {} }: Observer = {}, given?: Journal) => {
    const journal = given ?? (await connect())
    const begun: string[] = []
    const note = async <Result extends Begun>(
      operation: 'create' | 'confirm',
      begin: () => Promise<Result>,
    ) => {
      await before(operation)
      const result = await begin()
      begun.push(`${operation} ${result.kind}`)
      return result
    }
    const bare = createApi(withCredentials(service.transport, { kind: 'bearer' }, apiKey), {
      clock,
      random: Math.random,
    })
    const deps = {
      ...timed(bare, clock),
      ...{ clock, interrupted: new AbortController().signal, owner },
      journal: {
        ...journal,
        beginCreate: (intent) => note('create', () => journal.beginCreate(intent)),
        beginConfirm: (intent) => note('confirm', () => journal.beginConfirm(intent)),
      } satisfies Journal,
    }
    const pace = createPace({ max: 4, clock, random: Math.random })
    const poller = createPoller({ ...deps, random: Math.random, ready: pace.ready, concurrency: pace.limit })
    const end = await runBatch({
      ...{ deps, batch, pace, poller, batches: openBatches(journal), refused: createRefusedProducts() },
      counter: createCounter(),
      processes: { own: 1, isRunning: () => true },
    })
    return { end, begun }
  }

  return {
    work,
    batches,
    batch,
    query: shared.query,
    /** The slots of confirmed orders. */
    listBought: async (): Promise<(number | undefined)[]> =>
      (await shared.journal.openTables(createReportTable).listOrders(batch.number))
        .filter(({ confirmedAt }) => confirmedAt !== undefined)
        .map(({ slot }) => slot)
        .toSorted((one, other) => Number(one) - Number(other)),
  }
}
