// Finds orders for commands and operations.
import type { AccountId } from '../../contract/account-id.ts'
import { isSameReference } from '../../contract/reference.ts'
import type { Run } from '../access.ts'
import { getAccount, readAccountCondition } from '../accounts.ts'
import { selectBatchNumbers } from '../batches/batch-names.ts'
import type { Elsewhere, Orders } from '../journal.ts'
import type { Entry } from './entry.ts'
import { listOrders, summarizeList } from './list-orders.ts'
import {
  findAllByReference,
  findById,
  findLast,
  getOrder,
  isCreating,
  listCalls,
  type Query,
  selectByFold,
  selectEntries,
} from './queries.ts'
import { fromRow } from './row.ts'
import {
  holdingCondition,
  isNeverCreated,
  unfinishedCondition,
  unknownCondition,
  unprovenCondition,
} from './standings.ts'

/** An order whose id belongs to a different order comes last. */
const ownFirst = "coalesce(void_reason, '') = 'stranger', number DESC"

export const createOrderQueries = (read: Run): Orders => {
  const select = (query: Query): Promise<Entry[]> =>
    read(({ statements }) => selectEntries(statements, query))
  const selectOf = (account: AccountId, condition: string, more?: Partial<Query>): Promise<Entry[]> =>
    read(async ({ statements }) => {
      const where = `${await readAccountCondition(statements, account)} AND ${condition}`
      return selectEntries(statements, { ...more, where })
    })
  const findAllOf: Orders['findAllByReference'] = (account, reference) =>
    read(({ statements }) => findAllByReference(statements, account, reference))

  return {
    getOrder: (number) => read(({ statements }) => getOrder(statements, number)),

    findOrder: ({ account }, orderId) =>
      read(
        async ({ statements }) =>
          (await findById(statements, account, orderId, { limit: 1, order: ownFirst }))[0],
      ),

    findAllById: ({ account }, orderId) =>
      read(({ statements }) => findById(statements, account, orderId, { order: ownFirst })),

    findOnAnyAccount: (orderId) => select({ where: 'order_id = $orderId', values: { orderId } }),
    findLast: ({ account }) => read((access) => findLast(access, account, { isAttempt: false })),
    findLastAttempt: ({ account }) => read((access) => findLast(access, account, { isAttempt: true })),

    findNewest: ({ account }, limit) =>
      selectOf(account, 'TRUE', { order: 'placed_at DESC, number DESC', limit }),

    findByReference: async ({ account }, reference) =>
      (await findAllOf(account, reference)).filter((entry) => !isNeverCreated(entry)),

    findAllByReference: findAllOf,

    findSimilarReferences: async (account, reference) => {
      const { where, values } = selectByFold(account, reference)
      const holders = await select({ where: `${where} AND ${holdingCondition}`, values })
      const similar = holders.flatMap((entry) => entry.reference ?? [])
      return [...new Set(similar)].filter((each) => !isSameReference(each, reference))
    },

    findByBatch: ({ account }, text) =>
      read(async (access) => {
        const condition = await readAccountCondition(access.statements, account)
        const numbers = await selectBatchNumbers(access, text, condition)
        if (numbers.length === 0) return undefined
        return selectEntries(access.statements, { where: `batch IN (${numbers.join(', ')})` })
      }),

    findUnproven: (account) => selectOf(account, unprovenCondition),
    findUnfinished: ({ account }) =>
      selectOf(account, unfinishedCondition, { index: 'unfinished_by_account' }),

    countUnknownElsewhere: ({ account }) =>
      read(async ({ statements }) => {
        const rows = await statements.all(
          `SELECT profile, origin, count(*) AS count FROM orders
           WHERE ${unknownCondition} AND NOT (${await readAccountCondition(statements, account)})
           GROUP BY profile, origin ORDER BY profile, origin`,
        )
        return rows.map((row) => fromRow<Elsewhere>(row))
      }),

    listOrders: (filter) => read(({ statements }) => listOrders(statements, filter)),
    summarizeList: (filter, from) => read(({ statements }) => summarizeList(statements, filter, from)),
    listCalls: (order) => read(({ statements }) => listCalls(statements, order)),
    isCreating: (entry, at) => read(({ statements }) => isCreating(statements, entry, at)),
    getAccount: (number) => read(({ statements }) => getAccount(statements, number)),
  }
}
