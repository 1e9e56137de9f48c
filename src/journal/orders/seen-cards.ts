// Which order showed a card first, and who revealed which codes, and when. The journal contains keyed hashes of cards, never
// their codes.

import type { AccountId } from '../../contract/account-id.ts'
import type { Access, Read, Write, WriteAccess } from '../access.ts'
import { accountNumbersQuery, accountValues, getOrAddAccount, ofSameAccount } from '../accounts.ts'
import { inOrder, insertRow, insertRows, type Row, runForRows } from '../database/database.ts'
import { reveals, seenCards } from '../tables/accounts.ts'
import type { RowOf } from '../tables/table.ts'
import type { Damage } from './entries.ts'

export type SeenCard = {
  /** With each key of the account, its own key first. */
  readonly hashes: readonly string[]
  /** The card's number in its order. Undefined if the order has not shown the card before. */
  readonly number?: number
  /** The order that showed the card first, if it is a different one. */
  readonly otherOrderId?: string
}

/** Hashes a card with a key. The journal does not get the card itself. */
export type HashCard = (key: string) => string

export type ShownCards = {
  readonly account: AccountId
  readonly orderId: string
  readonly cards: readonly HashCard[]
}

/** Writes only if the journal does not know that the order has these cards. If they are new, it does not look first. */
export const recordCards = async (
  { read, write }: Read & Write,
  { account, orderId, cards, areNew = false }: ShownCards & { readonly areNew?: boolean },
): Promise<SeenCard[]> => {
  if (!areNew) {
    const known = await findShownCards(read, orderId, hashAll(await readKeys(read, account), cards))
    if (known.every(({ number }) => number !== undefined)) return known
  }
  return write(async (access) => {
    const { number } = await inOrder({
      locked: lockAddress(access, account),
      number: getOrAddAccount(access, account),
    })
    const hashes = hashAll(await readKeys(access, account), cards)
    const shown = await findShownCards(access, orderId, hashes)
    const numbers = numberCards(shown)
    const numbered = shown.map((card, index) => ({ ...card, own: numbers[index] ?? 0 }))
    const fresh = numbered.filter((card) => card.number === undefined)
    const unknown = fresh.filter(({ otherOrderId }) => otherOrderId === undefined)
    const toRow = ({ hashes: [hash = ''], own }: (typeof fresh)[number]) => ({
      ...{ hash, order_id: orderId, account: number, number: own },
    })
    const { recorded } = await inOrder({
      first: insertCards(access, unknown.map(toRow), true),
      all: insertCards(access, fresh.map(toRow), false),
      recorded: findShownCards(access, orderId, hashes),
    })
    return recorded
  })
}

/**
 * A card keeps the number with which the order showed it first, because people hand out cards by their numbers, and a
 * service may list them in a different order each time. A new card gets the lowest number that no listed card has.
 */
export const numberCards = (cards: readonly SeenCard[]): number[] => {
  const taken = new Set(cards.map(({ number }) => number))
  const before = new Set<string | undefined>()
  let next = 1
  return cards.map(({ hashes: [hash], number }) => {
    const isRepeated = before.has(hash)
    before.add(hash)
    if (number !== undefined && !isRepeated) return number
    while (taken.has(next)) next += 1
    taken.add(next)
    return next
  })
}

/** The ids of all orders that showed one of the cards. */
export const listCardOrders = async (access: Access, { account, cards }: Omit<ShownCards, 'orderId'>) => {
  const rows = await selectCards(access, hashAll(await readKeys(access, account), cards))
  return [...new Set(rows.map(({ order_id }) => String(order_id)))]
}

/**
 * With `isFirst`, does nothing for cards that a different order showed first: the database has one first order of a
 * hash.
 */
export const insertCards = (access: WriteAccess, rows: readonly Row[], isFirst: boolean) => {
  // Two transactions that insert the same cards wait for each other: in the same order, so that none waits forever.
  const sorted = rows.toSorted((one, other) => (String(one.hash) < String(other.hash) ? -1 : 1))
  const marked = sorted.map((row) => ({ ...row, is_first: isFirst ? 1 : 0 }))
  return insertRows(access, seenCards, marked, 'ON CONFLICT DO NOTHING')
}

/**
 * Until the transaction ends, no account that may be the same records cards. Its hashes have a different key, so the
 * database's constraint does not compare them. Accounts without a name do not wait for each other.
 */
const lockAddress = async ({ dialect, run }: WriteAccess, { address, name }: AccountId): Promise<void> => {
  if (dialect.name !== 'postgres') return
  const lock = name === undefined ? 'pg_advisory_xact_lock_shared' : 'pg_advisory_xact_lock'
  await run(`SELECT ${lock}(hashtextextended('orderctl seen_cards ' || $address, 0))`, { address })
}

/** The account's own key is the first, unless the account is not in the journal yet. */
const readKeys = async ({ all }: Access, account: AccountId): Promise<string[]> => {
  const rows = await all(
    `SELECT card_key, number, CASE WHEN name IS NOT DISTINCT FROM $name THEN 0 ELSE 1 END AS rank
     FROM accounts WHERE number IN (${accountNumbersQuery})
     UNION ALL SELECT card_key, account, 2 FROM card_keys WHERE ${ofSameAccount}
     ORDER BY rank, number`,
    accountValues(account),
  )
  return rows.map(({ card_key }) => String(card_key))
}

const hashAll = (keys: readonly string[], cards: readonly HashCard[]): string[][] =>
  cards.map((hash) => keys.map(hash))

const selectCards = (access: Access, hashes: readonly (readonly string[])[]): Promise<Row[]> =>
  runForRows(
    access,
    ['TEXT'],
    [...new Set(hashes.flat())].map((hash) => [hash]),
    (list) =>
      `SELECT hash, order_id, number, is_first FROM ${list} AS wanted
       ${access.dialect.orderedJoin} seen_cards ON hash = column1`,
  )

export const findShownCards = async (
  access: Access,
  orderId: string,
  hashes: readonly (readonly string[])[],
): Promise<SeenCard[]> => {
  const rows = Map.groupBy(await selectCards(access, hashes), ({ hash }) => hash)
  return hashes.map((each) => {
    const own = each.flatMap((hash) => rows.get(hash) ?? [])
    const other = own.find(({ order_id, is_first }) => order_id !== orderId && Number(is_first) === 1)
    const recorded = own.find(({ order_id }) => order_id === orderId)
    return {
      hashes: each,
      number: recorded && Number(recorded.number),
      otherOrderId: other && String(other.order_id),
    }
  })
}

/** The hashes of the cards that no order showed before this one. Reads the whole table. */
export const listFirstShown = async ({ all }: Access, orderId: string): Promise<string[]> => {
  const rows = await all('SELECT hash FROM seen_cards WHERE order_id = $orderId AND is_first = 1', {
    orderId,
  })
  return rows.map(({ hash }) => String(hash))
}

export type RecordedReveal = Omit<RowOf<typeof reveals>, 'number'> & Damage
export type Reveal = Omit<RecordedReveal, 'actor' | 'writtenBy' | 'damage'>

export const recordReveals = ({ write }: Write, all: readonly Reveal[]): Promise<void> =>
  write(async (access) => {
    for (const reveal of all) await insertRow(access, reveals, reveal)
  })
