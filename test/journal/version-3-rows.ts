// The rows of the stored journal of version 3: those of version 2, and a batch that bought one of the orders.
import type { Row } from './fixture-rows.ts'
import { versionTwoRows } from './version-2-rows.ts'

const batches: Row[] = [
  {
    ...{
      number: 4,
      account: 1,
      profile: 'shop',
      origin: 'https://orders.example/v1',
      id: 'bat_1',
      demand: 'd1',
    },
    ...{ name: 'December', name_fold: 'december', wallet: 'USD', columns: '["email"]', header: '[]' },
    ...{ card_key: 'k', last_slot: 2, max_total: '100', stopped: 'cap' },
    ...{ planned_at: 1, started_at: 2, changed_at: 3, cancelled_at: null },
  },
]

export const versionThreeRows = {
  accounts: versionTwoRows.accounts,
  batches,
  orders: versionTwoRows.orders.map((order, index) =>
    index === 0 ? { ...order, batch: 4, slot: 1 } : order,
  ),
  calls: versionTwoRows.calls,
  states: versionTwoRows.states,
  reveals: versionTwoRows.reveals,
  batch_rows: [
    ...[0, 1].map((row) => ({
      ...{ batch: 4, row, line: row + 2, sku: 'GAME-US', product_type: 'gift-card', quote: '25' },
      ...{ quantity: 1, cells: '["a@example.com"]' },
    })),
  ] as Row[],
  batch_cards: [
    { batch: 4, card: 0, row: 0, slot: 1, state: 'delivered', error: null, hash: 'h' },
    { batch: 4, card: 1, row: 1, slot: 2, state: 'wanted', error: null, hash: null },
  ] as Row[],
}
