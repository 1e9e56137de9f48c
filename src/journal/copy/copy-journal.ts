// Copies a journal from a SQLite file into a different journal: the rows that are not there yet. It can run any number
// of times.

import { sandboxAddress } from '../../contract/account-id.ts'
import { isSameReference } from '../../contract/order/reference.ts'
import { Failure } from '../../errors.ts'
import type { Access } from '../access.ts'
import { matchAccounts } from '../accounts.ts'
import type { Row, Value } from '../database/database.ts'
import { runForRows } from '../database/many-rows.ts'
import type { Journal } from '../journal.ts'
import { limitPermissionsQuery, waitForConfirms } from '../limits/limits.ts'
import { insertCards, type SeenRow } from '../orders/seen-cards.ts'
import { holdingCondition, unprovenCondition } from '../orders/standings.ts'
import {
  accounts as accountTable,
  actors as actorTable,
  cardKeys as cardKeyTable,
  limits as limitTable,
} from '../tables/accounts.ts'
import { reveals as revealTable, seenCards as seenCardTable } from '../tables/cards.ts'
import {
  type CopySource,
  type CopyTarget,
  createTarget,
  isCopied,
  keyOf,
  openSource,
  type Transact,
} from './copied-rows.ts'
import { copyBatches } from './copy-batches.ts'
import { copyOrders } from './copy-orders.ts'

export type CopyResult = Awaited<ReturnType<typeof copyJournal>>

/** The amount is an exact decimal. The account is its declared name. */
export type CopiedLimit = {
  readonly [Column in 'kind' | 'currency' | 'amount']: string
} & { readonly account: string | null }

/**
 * The orders of the sandbox are not copied. Throws if the file is not a journal of this version.
 * `findReconcile` returns the command that settles orders of a profile in the file, if a command can choose the file.
 */
export const copyJournal = async (
  file: string,
  target: Journal,
  findReconcile: (profile: string) => string | undefined = () => undefined,
) => {
  await using source = await openSource(file)
  // The outcome of each confirm must be proven: otherwise two journals would have to prove it, and each would know only
  // half.
  const [first, ...others] = await source.all(
    `SELECT order_id, profile FROM orders WHERE ${isCopied} AND ${unprovenCondition} ORDER BY number`,
  )
  if (first !== undefined) {
    const names = [first, ...others].map(({ order_id, profile }) => `${order_id} of the profile ${profile}`)
    const reconcile = findReconcile(String(first.profile))
    throw new Failure(
      'unproven',
      `${file} has orders whose confirm may have spent money: ${names.join(', ')}; nothing was copied`,
      { fix: () => reconcile, advice: 'Reconcile them with this journal. Then copy it.' },
    )
  }
  return await copyFrom(source, target)
}

const copyFrom = async (source: CopySource, { read, write }: Journal) => {
  const transact: Transact = (work) =>
    write(async (access) => {
      const { dialect, run } = access
      // Two processes that copy the same file must see each other's rows.
      if (dialect.name === 'postgres') await run('LOCK TABLE copies IN SHARE ROW EXCLUSIVE MODE')
      return work(createTarget(access, source))
    })
  const isService = `WHERE address <> '${sandboxAddress}' ORDER BY number`
  const accounts = await source.readRows(accountTable, isService)
  const actors = await source.readRows(actorTable, 'ORDER BY number')
  await transact(async (target) => {
    source.numbers.accounts = await target.mapRows(accountTable, accounts)
    source.numbers.actors = await target.mapRows(actorTable, actors)
    await copyCards(source, target, accounts)
  })
  return {
    ...(await copyBatches(source, transact)),
    ...(await copyOrders(source, transact)),
    reveals: await copyReveals(source, transact),
    conflicts: await findConflicts(read, source),
    limits: await copyLimits(source, transact, accounts),
  }
}

/** With the keys of their hashes, so that this journal knows the cards. Its own first order of a card stays the first. */
const copyCards = async (
  { readRows, numbers }: CopySource,
  { access }: CopyTarget,
  accounts: readonly Row[],
): Promise<void> => {
  const keys: readonly Row[] = [
    ...accounts.map(({ number, card_key }) => ({ account: numbers.accounts?.get(number), card_key })),
    ...(await readRows(cardKeyTable, `WHERE ${isCopied}`)),
  ]
  await runForRows(
    access,
    ['BIGINT', 'TEXT'],
    keys.map(({ account, card_key }) => [account, card_key] as Value[]),
    (list) =>
      `INSERT INTO card_keys (account, card_key) SELECT column1, column2 FROM ${list} AS keys
       WHERE NOT EXISTS (SELECT 1 FROM accounts WHERE number = column1 AND accounts.card_key = column2)
       ON CONFLICT DO NOTHING`,
  )
  const cards = await readRows(seenCardTable, `WHERE ${isCopied}`)
  const toRow = ({ hash, order_id, account }: Row): SeenRow => [
    String(hash),
    String(order_id),
    account as bigint,
  ]
  const first = cards.filter(({ is_first }) => Number(is_first) === 1)
  await insertCards(access, first.map(toRow), true)
  await insertCards(access, cards.map(toRow), false)
}

/** Returns the number of new reveals. */
const copyReveals = async ({ readChunks }: CopySource, transact: Transact) => {
  let count = 0
  for await (const rows of readChunks(revealTable, `origin <> '${sandboxAddress}'`, 1_000)) {
    count += await transact(async ({ findCopies, insertCopies }) => {
      const known = await findCopies(revealTable, rows)
      const fresh = rows.filter(({ number }) => !known.has(number))
      await insertCopies(revealTable, fresh)
      return fresh.length
    })
  }
  return count
}

/** A limit that the target already has is kept. A role that may not change limits copies none. */
const copyLimits = async (
  { readRows, numbers }: CopySource,
  transact: Transact,
  accounts: readonly Row[],
) => {
  const limits = await readRows(limitTable, `WHERE ${isCopied} ORDER BY account, currency, kind`)
  if (limits.length === 0) return { copied: [], kept: [], refused: [] }
  const names = new Map(accounts.map(({ number, name }) => [numbers.accounts?.get(number), name]))
  const describe = ({ kind, currency, amount, account }: Row) =>
    ({ kind, currency, amount, account: names.get(account as bigint) }) as CopiedLimit
  return transact(async ({ access, insertMissing }) => {
    const isSqlite = access.dialect.name === 'sqlite'
    const mayChange = isSqlite || (await access.all(limitPermissionsQuery)).length === 0
    if (mayChange) await waitForConfirms(access)
    const { known, missing } = await insertMissing(limitTable, limits, { onlyFinds: !mayChange })
    const kept = limits.flatMap((limit) => {
      const ours = known.get(keyOf(limitTable, limit))
      return ours === undefined || ours.amount === limit.amount ? [] : [describe(ours)]
    })
    const all = missing.map(describe)
    return mayChange ? { copied: all, kept, refused: [] } : { copied: [], kept, refused: all }
  })
}

/** Finds references that an order of the source and a different order of the target both hold. */
const findConflicts = async ({ all, dialect }: Access, { id }: CopySource) => {
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
