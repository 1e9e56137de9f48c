// Copies a journal from a SQLite file into another journal: the rows that are not there yet. It can run any number of
// times.
import { sandboxAddress } from '../../contract/account-id.ts'
import { isSameReference } from '../../contract/reference.ts'
import { Failure } from '../../errors.ts'
import type { Run } from '../access.ts'
import { matchAccounts } from '../accounts.ts'
import type { Row, Statements, Value } from '../database/database.ts'
import { runForRows } from '../database/many-rows.ts'
import type { Journal } from '../journal.ts'
import { limitPermissionsQuery, waitForConfirms } from '../limits/limits.ts'
import { insertCards, type SeenRow } from '../seen-cards.ts'
import { holdingCondition } from '../standings.ts'
import {
  accounts as accountTable,
  actors as actorTable,
  cardKeys as cardKeyTable,
  limits as limitTable,
} from '../tables/accounts.ts'
import { reveals as revealTable, seenCards as seenCardTable } from '../tables/orders.ts'
import {
  findCopies,
  insertCopies,
  insertRows,
  keyOf,
  mapRows,
  type Numbers,
  readByKey,
  readChunks,
  readRows,
} from './copied-rows.ts'
import { copyBatches } from './copy-batches.ts'
import { copyOrders, type OrderCounts } from './copy-orders.ts'
import { type CopySource, isCopied, openSource } from './source.ts'

export type CopyResult = OrderCounts & {
  /** New in the target. */
  readonly batches: number
  readonly reveals: number
  /** References that two different orders have, of which one was copied. */
  readonly conflicts: readonly string[]
  /** Batches whose name another batch of the target has. */
  readonly renamed: readonly { readonly from: string; readonly to: string }[]
  /** Batches that were started, and changed in the source since they were copied. */
  readonly changed: readonly string[]
  readonly limits: {
    readonly copied: readonly CopiedLimit[]
    /** Other amounts that the target has, and keeps. */
    readonly kept: readonly CopiedLimit[]
    /** Not copied, because the role may not change limits. */
    readonly refused: readonly CopiedLimit[]
  }
}

/** The amount is an exact decimal. The account is its declared name. */
export type CopiedLimit = {
  readonly [Column in 'kind' | 'currency' | 'amount']: string
} & { readonly account: string | null }

/**
 * Leases and the orders of the sandbox are not copied. Throws if the file is not a journal of this version.
 * `findReconcile` returns the command that settles orders of a profile in the file, if a command can choose the file.
 */
export const copyJournal = async (
  file: string,
  target: Journal,
  findReconcile: (profile: string) => string | undefined = () => undefined,
): Promise<CopyResult> => {
  const source = await openSource(file)
  try {
    const [first, ...others] = await listUnproven(source)
    if (first !== undefined) {
      const names = [first, ...others].map(({ order_id, profile }) => `${order_id} of the profile ${profile}`)
      throw new Failure(
        'unknown',
        `${file} has orders whose confirm may have spent money: ${names.join(', ')}; nothing was copied`,
        {
          fix: findReconcile(String(first.profile)) ?? 'Reconcile them with this journal. Then copy it.',
        },
      )
    }
    return await copyFrom(source, target)
  } finally {
    await source.close()
  }
}

/** The outcome of each confirm must be proven: otherwise two journals would have to prove it, and know half of it. */
const listUnproven = ({ all }: CopySource): Promise<Row[]> =>
  all(
    `SELECT order_id, profile FROM orders WHERE ${isCopied} AND standing IN ('confirming', 'doubtful') ORDER BY number`,
  )

const copyFrom = async (
  source: CopySource,
  { read, write }: Pick<Journal, 'read' | 'write'>,
): Promise<CopyResult> => {
  const runTransaction: Run = (work) =>
    write(async (inside) => {
      await waitForCopies(inside.statements)
      return work(inside)
    })
  const isService = `WHERE address <> '${sandboxAddress}' ORDER BY number`
  const accounts = await readRows(source, accountTable, isService)
  const actors = await readRows(source, actorTable, 'ORDER BY number')
  const numbers = await runTransaction(async ({ statements }) => {
    const mapped = {
      accounts: await mapRows(statements, accountTable, accounts),
      actors: await mapRows(statements, actorTable, actors),
    }
    await copyCards(source, statements, mapped, accounts)
    return mapped
  })
  const { batches, added, renamed, changed } = await copyBatches(source, runTransaction, numbers)
  return {
    ...(await copyOrders(source, runTransaction, { ...numbers, batches })),
    batches: added,
    reveals: await copyReveals(source, runTransaction, numbers),
    conflicts: await read(({ statements }) => findConflicts(statements, source)),
    renamed,
    changed,
    limits: await copyLimits(source, runTransaction, numbers, accounts),
  }
}

/** Two processes that copy the same file must see what the other has copied. */
const waitForCopies = async ({ dialect, run }: Statements): Promise<void> => {
  if (dialect.name === 'postgres') await run('LOCK TABLE copies IN SHARE ROW EXCLUSIVE MODE')
}

/** With the keys of their hashes, so that this journal knows the cards. Its own first order of a card stays the first. */
const copyCards = async (
  source: CopySource,
  statements: Statements,
  numbers: Numbers,
  accounts: readonly Row[],
): Promise<void> => {
  const keys: readonly Row[] = [
    ...accounts.map(({ number, card_key }) => ({ account: numbers.accounts?.get(number), card_key })),
    ...(await readRows(source, cardKeyTable, `WHERE ${isCopied}`, numbers)),
  ]
  await runForRows(
    statements,
    ['BIGINT', 'TEXT'],
    keys.map(({ account, card_key }) => [account, card_key] as Value[]),
    (list) =>
      `INSERT INTO card_keys (account, card_key) SELECT column1, column2 FROM ${list} AS keys
       WHERE NOT EXISTS (SELECT 1 FROM accounts WHERE number = column1 AND accounts.card_key = column2)
       ON CONFLICT DO NOTHING`,
  )
  const cards = await readRows(source, seenCardTable, `WHERE ${isCopied}`, numbers)
  const toRows = (some: readonly Row[]): SeenRow[] =>
    some.map(({ hash, order_id, account }) => [String(hash), String(order_id), account as bigint])
  await insertCards(statements, toRows(cards.filter(({ is_first }) => Number(is_first) === 1)), true)
  await insertCards(statements, toRows(cards), false)
}

/** Returns the number of new reveals. */
const copyReveals = async (source: CopySource, runTransaction: Run, numbers: Numbers): Promise<number> => {
  const condition = `origin <> '${sandboxAddress}'`
  let count = 0
  for await (const rows of readChunks(source, revealTable, { condition, size: 1_000, numbers })) {
    count += await runTransaction(async ({ statements }) => {
      const known = await findCopies(statements, revealTable, source, rows)
      const fresh = rows.filter(({ number }) => !known.has(number))
      await insertCopies(statements, revealTable, source, fresh)
      return fresh.length
    })
  }
  return count
}

/** A limit that the target already has stays. */
const copyLimits = async (
  source: CopySource,
  runTransaction: Run,
  numbers: Numbers,
  accounts: readonly Row[],
): Promise<CopyResult['limits']> => {
  const rest = `WHERE ${isCopied} ORDER BY account, currency, kind`
  const limits = await readRows(source, limitTable, rest, numbers)
  if (limits.length === 0) return { copied: [], kept: [], refused: [] }
  const names = new Map(accounts.map(({ number, name }) => [numbers.accounts?.get(number), name]))
  const describe = ({ kind, currency, amount, account }: Row) =>
    ({ kind, currency, amount, account: names.get(account as bigint) }) as CopiedLimit
  return runTransaction(async ({ statements }) => {
    const isSqlite = statements.dialect.name === 'sqlite'
    const mayChange = isSqlite || (await statements.all(limitPermissionsQuery)).length === 0
    if (mayChange) await waitForConfirms(statements)
    const known = await readByKey(statements, limitTable)
    const fresh = limits.filter((limit) => !known.has(keyOf(limitTable, limit)))
    if (mayChange) await insertRows(statements, limitTable, fresh)
    const kept = limits.flatMap((limit) => {
      const ours = known.get(keyOf(limitTable, limit))
      return ours === undefined || ours.amount === limit.amount ? [] : [describe(ours)]
    })
    const all = fresh.map(describe)
    return mayChange ? { copied: all, kept, refused: [] } : { copied: [], kept, refused: all }
  })
}

/** Finds references that an order of the source and another order of the target both hold. */
const findConflicts = async ({ all, dialect }: Statements, { id }: CopySource): Promise<string[]> => {
  const copied = "SELECT 1 FROM copies WHERE kind = 'order' AND source = $id AND copied_as"
  const rows = await all(
    `SELECT DISTINCT one.reference, other.reference AS other_reference
     FROM (SELECT orders.* FROM copies ${dialect.orderedJoin} orders ON orders.number = copied_as
           WHERE source = $id AND kind = 'order' AND ${holdingCondition}) AS one
     ${dialect.orderedJoin} accounts AS account ON account.number = one.account
     ${dialect.orderedJoin} orders AS other ${dialect.indexedBy('orders_by_reference')} ON other.reference_fold = one.reference_fold AND other.number <> one.number
     ${dialect.orderedJoin} accounts AS other_account ON other_account.number = other.account
       AND ${matchAccounts('other_account', 'account')}
     WHERE other.${holdingCondition} AND NOT EXISTS (${copied} = other.number)
     ORDER BY one.reference`,
    { id },
  )
  const same = rows.filter(({ reference, other_reference }) =>
    isSameReference(String(reference), String(other_reference)),
  )
  return [...new Set(same.map(({ reference }) => String(reference)))]
}
