// Plays random histories of a batch whose service shows its cards oddly: runs, runs with --retry-failed, kills, exports,
// and the time between them. No card is exported for two rows, and no row's card is bought again although its first card
// came.
import { existsSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { listNewestBatches } from '../../../src/journal/batches/batches.ts'
import { listBatchCards, listBatchOrders } from '../../../src/journal/batches/cards.ts'
import { createChoices } from '../histories/choices.ts'
import { createOddCards } from '../odd-cards.ts'
import type { Given, Played, Player } from '../play.ts'
import { batchHistoryFrom } from './batch-history.ts'
import { readJournal } from './batch-rules.ts'
import { openPlay } from './play-batch.ts'

const minuteMs = 60_000
const rowCount = 14
const cap = 100_000

const readCards = (file: string) =>
  readJournal(file, async (access) => {
    const [batch] = await listNewestBatches(access, { limit: 1 })
    if (batch === undefined) return { cards: [], orders: [] }
    const cards = await listBatchCards(access, batch.number)
    return { cards, orders: await listBatchOrders(access, batch.number) }
  })

export const openPlayer =
  ({ folder, product, defect }: Given): Player =>
  async (seed): Promise<Played> => {
    const { below, happens, pick } = createChoices(`cards of batch ${seed}`)
    const home = path.join(folder, `${seed}`)
    const rows = batchHistoryFrom(seed).rows.slice(0, rowCount)
    // No one knows a card that only a killed run has read, if the service does not show it again.
    const isKilled = happens(0.5)
    const odd = createOddCards(seed, { loses: !isKilled, isEarly: false })
    const history = { seed, rows, isDated: true }
    const { time, service, facts, ran, problems, add, start, waitForAll } = openPlay({
      ...{ history, product, home, habits: { cards: odd } },
    })
    const file = path.join(home, 'codes.jsonl')
    const skus = rows.flatMap(({ sku, quantity }) => Array.from({ length: quantity }, () => sku))
    const rowsOf = new Map<string, number>()

    const exportCodes = async (): Promise<void> => {
      add({ words: ['batch', 'export', 'gifts', file, '--force'], faults: [] })
      await waitForAll()
      if (!existsSync(file)) return
      for (const [row, line] of readFileSync(file, 'utf8').trim().split('\n').entries()) {
        const { redeem_with: name } = JSON.parse(line)
        const card = name === null ? undefined : odd.find(name)
        if (card === undefined) continue
        const other = rowsOf.get(card) ?? row
        if (other !== row) problems.push(`one card for two rows: ${card} for ${other} and ${row}`)
        rowsOf.set(card, row)
      }
    }

    const buy = async (isRetry: boolean): Promise<void> => {
      const before = await readCards(facts.journalFile).catch(() => ({ cards: [], orders: [] }))
      const kill =
        isKilled && happens(0.6) ? { at: `${pick(['before', 'after'])} write ${1 + below(60)}` } : undefined
      if (!isRetry) start(cap, { parallel: 4, faults: [], kill })
      else
        add({
          words: ['batch', 'run', 'gifts', '--retry-failed', '--yes', '--json'],
          faults: [],
          ...{ kill },
        })
      await waitForAll()
      const after = await readCards(facts.journalFile)
      const moved = before.cards.filter((card, index) => card.slot !== after.cards[index]?.slot)
      for (const cards of Map.groupBy(moved, ({ slot, card }) => `${slot} ${skus[card]}`).values()) {
        const { slot = 0, card = 0 } = cards[0] ?? {}
        const sku = skus[card] ?? ''
        const order = before.orders.find((each) => each.slot === slot && each.standing === 'confirmed')
        const { products = [] } = service.orders.find(({ id }) => id === order?.orderId) ?? {}
        const { quantity = 0 } = products.find((each) => each.sku === sku) ?? {}
        const came = odd.countShown(order?.orderId ?? '', sku)
        if (order !== undefined && cards.length > quantity - came)
          problems.push(`bought again: ${cards.length} of ${quantity} cards ${sku}, of which ${came} came`)
      }
    }

    try {
      await buy(false)
      for (let left = 3 + below(5); left > 0; left -= 1) {
        await time.pass(pick([10_000, minuteMs, 3 * minuteMs, 20 * minuteMs, 70 * minuteMs]))
        if (happens(0.5)) await exportCodes()
        await buy(happens(0.6))
      }
      await exportCodes()
      for (const { exit, stderr } of ran) if (exit === 1) problems.push(`a defect: ${stderr}`)
    } catch (error) {
      problems.push(`${(error as Error).stack}`)
    } finally {
      service.close()
      rmSync(home, { recursive: true, force: true })
    }
    const found = [...new Set(problems)].filter((problem) => problem.includes(defect?.found ?? ''))
    return {
      problems: found.map((problem) => `seed ${seed}: ${problem}`),
      commands: ran.length,
      confirms: service.effects.filter(({ operation }) => operation === 'confirm').length,
      kills: ran.filter(({ isKilled }) => isKilled).length,
    }
  }
