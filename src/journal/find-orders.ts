// Finds orders for commands and operations.
import { isSameReference } from '../contract/reference.ts'
import type { RunTransaction } from './access.ts'
import { selectBatchNumbers } from './batches/batch-names.ts'
import type { Elsewhere, Orders } from './journal.ts'
import { findLast } from './last-queries.ts'
import { listOrders, summarizeList } from './list-orders.ts'
import { selectByFold } from './queries.ts'
import { fromRow } from './row.ts'
import { holdingCondition, isNeverCreated, unfinishedCondition } from './standings.ts'

export const createOrderQueries = (read: RunTransaction): Orders => ({
  getOrder: (number) => read(({ queries }) => queries.getOrder(number)),

  findOrder: ({ account }, orderId) =>
    read(async ({ queries }) => (await queries.findById(account, orderId, 1))[0]),

  findOnAnyAccount: (orderId) =>
    read(({ selectEntries }) => selectEntries({ where: 'order_id = $orderId', values: { orderId } })),

  findLast: ({ account }) => read((tables) => findLast(tables, account, { isAttempt: false })),
  findLastAttempt: ({ account }) => read((tables) => findLast(tables, account, { isAttempt: true })),

  findNewest: ({ account }, limit) =>
    read(async ({ accounts, selectEntries }) =>
      selectEntries({
        where: await accounts.createCondition(account),
        order: 'placed_at DESC, number DESC',
        limit,
      }),
    ),

  findByReference: ({ account }, reference) =>
    read(async ({ queries }) =>
      (await queries.findAllByReference(account, reference)).filter((entry) => !isNeverCreated(entry)),
    ),

  findAllByReference: (account, reference) =>
    read(({ queries }) => queries.findAllByReference(account, reference)),

  findSimilarReferences: (account, reference) =>
    read(async ({ selectEntries }) => {
      const { where, values } = selectByFold(account, reference)
      const holders = await selectEntries({ where: `${where} AND ${holdingCondition}`, values })
      const similar = holders.flatMap((entry) => entry.reference ?? [])
      return [...new Set(similar)].filter((each) => !isSameReference(each, reference))
    }),

  findByBatch: ({ account }, text) =>
    read(async (tables) => {
      const { accounts, selectEntries } = tables
      const numbers = await selectBatchNumbers(tables, text, await accounts.createCondition(account))
      return numbers.length === 0 ? undefined : selectEntries({ where: `batch IN (${numbers.join(', ')})` })
    }),

  findUnproven: (account) =>
    read(async ({ accounts, selectEntries }) =>
      selectEntries({
        where: `${await accounts.createCondition(account)} AND standing IN ('confirming', 'doubtful')`,
      }),
    ),

  findUnfinished: ({ account }) =>
    read(async ({ accounts, selectEntries }) =>
      selectEntries({
        where: `${await accounts.createCondition(account)} AND ${unfinishedCondition}`,
        index: 'unfinished_by_account',
      }),
    ),

  countUnknownElsewhere: ({ account }) =>
    read(async ({ accounts, statements }) => {
      const rows = await statements.all(
        `SELECT profile, origin, count(*) AS count FROM orders
         WHERE standing = 'confirming' AND NOT (${await accounts.createCondition(account)})
         GROUP BY profile, origin ORDER BY profile, origin`,
      )
      return rows.map((row) => fromRow<Elsewhere>(row))
    }),

  listOrders: (filter) => read(({ selectEntries }) => listOrders(selectEntries, filter)),
  summarizeList: (filter, from) => read(({ statements }) => summarizeList(statements, filter, from)),
  listCalls: (order) => read(({ queries }) => queries.listCalls(order)),
  isCreating: (entry, at) => read(({ queries }) => queries.isCreating(entry, at)),
  getAccount: (number) => read(({ accounts }) => accounts.getId(number)),
})
