// Finds orders for commands and operations.
import { isSameReference } from '../contract/reference.ts'
import type { Run } from './access.ts'
import { getAccount, readAccountCondition } from './accounts.ts'
import { selectBatchNumbers } from './batches/batch-names.ts'
import type { Elsewhere, Orders } from './journal.ts'
import { findLast } from './last-queries.ts'
import { listOrders, summarizeList } from './list-orders.ts'
import {
  findAllByReference,
  findById,
  getOrder,
  isCreating,
  listCalls,
  selectByFold,
  selectEntries,
} from './queries.ts'
import { fromRow } from './row.ts'
import { holdingCondition, isNeverCreated, unfinishedCondition } from './standings.ts'

export const createOrderQueries = (read: Run): Orders => ({
  getOrder: (number) => read(({ statements }) => getOrder(statements, number)),

  findOrder: ({ account }, orderId) =>
    read(async ({ statements }) => (await findById(statements, account, orderId, { limit: 1 }))[0]),

  findOnAnyAccount: (orderId) =>
    read(({ statements }) =>
      selectEntries(statements, { where: 'order_id = $orderId', values: { orderId } }),
    ),

  findLast: ({ account }) => read((access) => findLast(access, account, { isAttempt: false })),
  findLastAttempt: ({ account }) => read((access) => findLast(access, account, { isAttempt: true })),

  findNewest: ({ account }, limit) =>
    read(async ({ statements }) =>
      selectEntries(statements, {
        where: await readAccountCondition(statements, account),
        order: 'placed_at DESC, number DESC',
        limit,
      }),
    ),

  findByReference: ({ account }, reference) =>
    read(async ({ statements }) =>
      (await findAllByReference(statements, account, reference)).filter((entry) => !isNeverCreated(entry)),
    ),

  findAllByReference: (account, reference) =>
    read(({ statements }) => findAllByReference(statements, account, reference)),

  findSimilarReferences: (account, reference) =>
    read(async ({ statements }) => {
      const { where, values } = selectByFold(account, reference)
      const holders = await selectEntries(statements, { where: `${where} AND ${holdingCondition}`, values })
      const similar = holders.flatMap((entry) => entry.reference ?? [])
      return [...new Set(similar)].filter((each) => !isSameReference(each, reference))
    }),

  findByBatch: ({ account }, text) =>
    read(async (access) => {
      const { statements } = access
      const numbers = await selectBatchNumbers(access, text, await readAccountCondition(statements, account))
      return numbers.length === 0
        ? undefined
        : selectEntries(statements, { where: `batch IN (${numbers.join(', ')})` })
    }),

  findUnproven: (account) =>
    read(async ({ statements }) =>
      selectEntries(statements, {
        where: `${await readAccountCondition(statements, account)} AND standing IN ('confirming', 'doubtful')`,
      }),
    ),

  findUnfinished: ({ account }) =>
    read(async ({ statements }) =>
      selectEntries(statements, {
        where: `${await readAccountCondition(statements, account)} AND ${unfinishedCondition}`,
        index: 'unfinished_by_account',
      }),
    ),

  countUnknownElsewhere: ({ account }) =>
    read(async ({ statements }) => {
      const rows = await statements.all(
        `SELECT profile, origin, count(*) AS count FROM orders
         WHERE standing = 'confirming' AND NOT (${await readAccountCondition(statements, account)})
         GROUP BY profile, origin ORDER BY profile, origin`,
      )
      return rows.map((row) => fromRow<Elsewhere>(row))
    }),

  listOrders: (filter) => read(({ statements }) => listOrders(statements, filter)),
  summarizeList: (filter, from) => read(({ statements }) => summarizeList(statements, filter, from)),
  listCalls: (order) => read(({ statements }) => listCalls(statements, order)),
  isCreating: (entry, at) => read(({ statements }) => isCreating(statements, entry, at)),
  getAccount: (number) => read(({ statements }) => getAccount(statements, number)),
})
