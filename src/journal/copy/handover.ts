// The handover of a file's orders to a shared journal. `journal copy` first takes the right to buy from the file, and the
// transaction of each create and confirm checks it. The orders of the sandbox stay on each machine.

import { type AccountId, formatAccountId, sandboxAddress } from '../../contract/account-id.ts'
import { Failure } from '../../errors.ts'
import type { Access, Write } from '../access.ts'
import { accountValues, ofSameAccount, ownAccountQuery } from '../accounts.ts'
import type { Journal } from '../journal.ts'
import { type Call, selectRows } from '../orders/entries.ts'
import { openCondition } from '../orders/standings.ts'
import { calls as callTable } from '../tables/orders.ts'

/** An account that the file may no longer buy for, the ids of both journals, and the address of the shared one. */
export type Handover = {
  readonly account: AccountId
  readonly source: string
  readonly target: string
  readonly place: string
  /** The id of the file's newest call for the account. */
  readonly call: string | undefined
  /** Changes with each attempt to copy, so that no other attempt gives the right back meanwhile. */
  readonly at: number
}

/** Both journals of a copy. `source` is the journal in the file, `target` the shared one. */
export type Pair = { readonly file: string; readonly source: Journal; readonly target: Journal }

const isActive = 'forgotten IS NULL'

/** Throws if the file may no longer buy for the account. Runs in the transaction that records the intent. */
export const refuseHandedOver = async (
  { all, dialect }: Access,
  account: AccountId,
  file: string,
): Promise<void> => {
  if (dialect.name === 'postgres') return
  const sql = `SELECT place FROM handovers WHERE ${isActive} AND ${ofSameAccount}`
  const [handover] = await all(sql, accountValues(account))
  if (handover !== undefined) throw createHandoverFailure(account, file, String(handover.place))
}

export const createHandoverFailure = (account: AccountId, file: string, place: string): Failure =>
  new Failure(
    'other-journal',
    `the orders of ${formatAccountId(account)} are being copied from ${file} to ${place}`,
    {
      fix: (suggest) => suggest`journal copy`,
      advice: 'Complete the copy first.',
    },
  )

export const readHandovers = async ({ all }: Pick<Access, 'all'>): Promise<Handover[]> => {
  const rows = await all(
    `SELECT source, target, place, call, at, address, name FROM handovers JOIN accounts ON number = account WHERE ${isActive}`,
  )
  return rows.map(({ source, target, place, call, at, address, name }) => ({
    ...{ source: String(source), target: String(target), place: String(place) },
    call: call === null ? undefined : String(call),
    at: Number(at),
    account: { address: String(address), name: name === null ? undefined : String(name) },
  }))
}

export const readId = async ({ all }: Pick<Access, 'all'>): Promise<string> =>
  String((await all('SELECT id FROM orderctl_journal'))[0]?.id)

const isOfSame = (one: Handover, { source, account }: Handover): boolean =>
  one.source === source && one.account.address === account.address && one.account.name === account.name

/**
 * Whether the shared journal has the orders, or had them before the file changed. `contained` are its handovers. Then only a
 * person gives the file its right back, because it may lack orders of the shared journal.
 */
export const isContained = (handover: Handover, contained: readonly Handover[]): boolean =>
  contained.some((each) => isOfSame(each, handover))

/** Throws if the file has changed since it was copied: it bought after journal forget, or was restored from a backup. */
export const refuseChanged = (
  file: string,
  handovers: readonly Handover[],
  contained: readonly Handover[],
): void => {
  const isChanged = (own: Handover) => contained.some((each) => isOfSame(each, own) && each.call !== own.call)
  const changed = handovers.find(isChanged)
  if (changed === undefined) return
  throw new Failure(
    'local-state',
    `${file} has changed since it was copied to ${changed.place}; nothing was done`,
    {
      advice:
        'It cannot be copied again. Compare both journals with list. To buy with the shared journal, use journal forget.',
    },
  )
}

/**
 * Takes the right for all accounts. When it resolves, the right is taken on disk. Throws if other commands still buy, or
 * if a confirm may have spent.
 */
export const beginHandover = async (
  { file, source, target: shared }: Pair,
  { place, isInFlight }: { readonly place: string; readonly isInFlight: (call: Call) => boolean },
): Promise<void> => {
  const target = await readId(shared.read)
  const contained = await readHandovers(shared.read)
  await source.write(async (access) => {
    const other = (await readHandovers(access)).find((each) => each.target !== target)
    if (other !== undefined) throw createOtherTarget(other.place)
    const isLeft = `address <> '${sandboxAddress}' AND accounts.number NOT IN (SELECT account FROM handovers WHERE ${isActive})`
    const ofLeft = `account IN (SELECT number FROM accounts WHERE ${isLeft})`
    const open = await selectRows<Call>(
      access,
      callTable,
      `SELECT calls.* FROM calls JOIN orders ON orders.number = order_number
       WHERE ${openCondition} AND ${ofLeft}`,
    )
    if (open.some(isInFlight))
      throw new Failure('local-state', `other commands are buying with ${file}; nothing was copied`, {
        advice: 'Wait until they have ended, or a minute if they were killed. Then copy the journal.',
        retryable: true,
      })
    const unproven = await access.all(
      `SELECT order_id FROM orders WHERE ${ofLeft} AND unproven ORDER BY number`,
    )
    if (unproven.length > 0) {
      const ids = unproven.map(({ order_id }) => order_id).join(', ')
      const problem = `${file} has orders whose confirm may have spent money: ${ids}; nothing was copied`
      throw new Failure('unproven', problem, {
        advice: 'Reconcile them with this journal, without ORDERCTL_JOURNAL. Then copy it.',
      })
    }
    await access.run(
      `INSERT INTO handovers (account, source, target, place, call, at, actor)
       SELECT number, (SELECT id FROM orderctl_journal), $target, $place, (
         SELECT calls.id FROM orders JOIN calls ON order_number = orders.number
         WHERE account = accounts.number ORDER BY calls.number DESC LIMIT 1), ${access.dialect.now}, $actor
       FROM accounts WHERE ${isLeft}
       ON CONFLICT (source, target, account) DO UPDATE
       SET place = excluded.place, call = excluded.call, at = excluded.at, forgotten = NULL, actor = excluded.actor`,
      { target, place, actor: access.actor ?? null },
    )
    refuseChanged(file, await readHandovers(access), contained)
  })
}

export const createOtherTarget = (place: string): Failure =>
  new Failure('other-journal', `this file is being copied to ${place}; nothing was changed`, {
    field: 'ORDERCTL_JOURNAL',
    advice: `Use that journal, or undo the copy with --undo. If it is lost, use journal forget.`,
  })

/** The file may buy for the account again. The caller knows that the shared journal does not have its orders. */
export const endHandover = ({ write }: Write, handover: Handover): Promise<unknown> =>
  write(({ run }) => run(`DELETE FROM handovers WHERE ${isThisHandover}`, valuesOf(handover)))

/**
 * Claims the handover for this attempt to copy. Returns false if a different attempt has ended it, or claimed it. The
 * lock of the shared journal does not decide: the server may have released it.
 */
export const claimHandover = ({ write }: Write, handover: Handover): Promise<boolean> =>
  write(async ({ all }) => {
    const claimed = await all(
      `UPDATE handovers SET at = at + 1 WHERE ${isThisHandover} RETURNING at`,
      valuesOf(handover),
    )
    return claimed.length > 0
  })

const isThisHandover = `target = $target AND at = $at AND account = (${ownAccountQuery})`
const valuesOf = ({ account, target, at }: Handover) => ({ target, at, ...accountValues(account) })

/** A person decides that the file may buy again, although the shared journal may have the orders. */
export const forgetHandovers = (
  { write }: Write,
  handovers: readonly Handover[],
  reason: string,
): Promise<void> =>
  write(async ({ run, actor = null }) => {
    for (const { account, target } of handovers)
      await run(
        `UPDATE handovers SET forgotten = $reason, actor = $actor
         WHERE target = $target AND ${ofSameAccount}`,
        { reason, actor, target, ...accountValues(account) },
      )
  })
