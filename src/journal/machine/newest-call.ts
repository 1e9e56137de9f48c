// Notes in the machine file which journal an account uses and the newest call of each journal, before the call is sent.
// So a second journal, and a journal that was restored from a backup or created anew, are noticed.

import path from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { type AccountId, formatAccountId } from '../../contract/account-id.ts'
import { Failure } from '../../errors.ts'
import { isSameDatabase, parseAddress } from '../../postgres/address.ts'
import type { Access, Read } from '../access.ts'
import { accountValues, ofSameAccount } from '../accounts.ts'
import { createHandoverFailure, type Pair, readHandovers, readId } from '../copy/handover.ts'
import { hasRow } from '../database/database.ts'
import { journalFile } from '../journal.ts'
import type { StartedCall } from '../orders/entries.ts'
import type { Machine } from './machine-file.ts'

/** A journal, and the account that uses it. */
export type Here = {
  readonly machine: Machine
  /** Undefined if the command acts on no account. */
  readonly account: AccountId | undefined
  /** The journal's name in messages. */
  readonly name: string
  /** The address of a shared journal. Undefined for the file of this machine. */
  readonly place: string | undefined
}

type NewestCall = Pick<StartedCall, 'call' | 'id' | 'startedAt'>

type NotedJournal = {
  readonly id: string
  readonly place: string | undefined
  /** Whether the account uses it: any account, if the command acts on none. */
  readonly isUsed: boolean
  readonly newest: NewestCall
}

export type Notes = {
  readonly journals: readonly NotedJournal[]
  /** The ids of the files whose orders of the account a shared journal must have, with the id of that journal. */
  readonly handovers?: readonly { readonly source: string; readonly target: string }[]
  /** Why the machine file cannot be read. Commands that send nothing can still use the journal then. */
  readonly unreadable?: Failure
}

/** Accounts with and without a name may be the same. */
const isOfAccount = "($address IS NULL OR address = $address AND ($name = '' OR name IN ('', $name)))"

export const readNotes = ({ machine, account }: Pick<Here, 'machine' | 'account'>): Notes => {
  try {
    return machine.read((database) => selectNotes(database, account)) ?? { journals: [] }
  } catch (error) {
    return { journals: [], unreadable: error as Failure }
  }
}

const toValues = (account: AccountId | undefined) => ({
  address: account?.address ?? null,
  name: account?.name ?? '',
})

const selectJournals = (database: DatabaseSync, account: AccountId | undefined): NotedJournal[] =>
  database
    .prepare(
      `SELECT *, EXISTS (SELECT 1 FROM accounts WHERE journal = journals.id AND ${isOfAccount}) AS is_used
       FROM journals`,
    )
    .all(toValues(account))
    .map(({ id, place, is_used: isUsed, call, call_id: callId, started_at: startedAt }) => ({
      id: String(id),
      place: place === null ? undefined : String(place),
      isUsed: isUsed === 1,
      newest: { call: Number(call), id: String(callId), startedAt: Number(startedAt) },
    }))

const selectNotes = (database: DatabaseSync, account: AccountId | undefined): Notes => {
  const handovers = database
    .prepare(`SELECT source, target FROM handovers WHERE ${isOfAccount}`)
    .all(toValues(account))
  return {
    journals: selectJournals(database, account),
    handovers: handovers.map(({ source, target }) => ({ source: String(source), target: String(target) })),
  }
}

const isSamePlace = (one: string | undefined, other: string | undefined): boolean =>
  one === other || (one !== undefined && other !== undefined && isSameDatabase(parse(one), parse(other)))

const parse = (address: string) => parseAddress(address, { user: 'any' })

/** A journal, compared with this machine's record of it. */
export type Seen = {
  readonly id: string
  /** Whether the journal contains the newest call that this machine has seen. True if the machine has seen none. */
  readonly hasNewest: boolean
  /** In PostgreSQL, where other machines make calls, too. Undefined if the journal has no calls. */
  readonly newest?: NewestCall | undefined
}

/** Why nothing may be sent with the journal. `seen` is undefined if there is no journal yet. */
export const findConflict = (
  { machine, account, name, place }: Here,
  { journals, unreadable }: Notes,
  seen: Seen | undefined,
): Failure | undefined => {
  if (unreadable !== undefined) return unreadable
  const others = journals.filter(({ id, isUsed }) => isUsed && id !== seen?.id)
  const elsewhere = others.find((each) => !isSamePlace(each.place, place))
  if (account === undefined || elsewhere === undefined) {
    const isReplaced = others.some((each) => isSamePlace(each.place, place))
    return isReplaced || seen?.hasNewest === false ? createRestoredFailure(name) : undefined
  }
  const other = elsewhere.place ?? path.join(path.dirname(machine.file), journalFile)
  const way =
    elsewhere.place === undefined
      ? 'unset ORDERCTL_JOURNAL, or use profile set with --journal local. To copy its orders, use journal copy'
      : `set ORDERCTL_JOURNAL=${other}, or use profile set with --journal`
  return new Failure(
    'other-journal',
    `the orders of ${formatAccountId(account)} are in the journal ${other}, but this command uses ${name}`,
    {
      field: 'ORDERCTL_JOURNAL',
      advice: `To use that journal, ${way}. To continue without it, use journal forget.`,
    },
  )
}

const createRestoredFailure = (name: string): Failure =>
  new Failure(
    'restored-journal',
    `the journal ${name} does not contain the newest call that this machine has seen; the journal was probably restored from a backup or replaced`,
    {
      fix: (suggest) => suggest`reconcile`,
      advice:
        "Compare the list of orders with what the service's support reports. Then use journal forget to continue.",
    },
  )

/** Throws if a new journal would be the account's second one, or replace one. */
export const refuseNewJournal = (here: Here, notes: Notes): void => {
  const conflict = here.account && findConflict(here, notes, undefined)
  if (conflict !== undefined) throw conflict
}

/** Whether a shared journal has the orders of an account that a file hands over. */
const handedOverQuery = `SELECT 1 FROM handovers WHERE source = $source AND ${ofSameAccount}`

const callQuery = 'SELECT 1 FROM calls WHERE id = $id'

export const readSeen = (file: DatabaseSync, { journals }: Notes): Seen => {
  const id = String(file.prepare('SELECT id FROM orderctl_journal').get()?.id)
  const noted = journals.find((each) => each.id === id)
  const found = noted && file.prepare(callQuery).get({ id: noted.newest.id })
  return { id, hasNewest: noted === undefined || found !== undefined }
}

export type CallChecks = {
  /** Why no call may begin. */
  readonly conflict?: Failure | undefined
  /** A failover or a restored backup may set the journal back while this process uses it. */
  readonly check?: (access: Access, account: AccountId) => Promise<void>
  /** Notes a call between its intent and its request. */
  readonly note?: (started: StartedCall) => Promise<void>
}

type NotedCall = NewestCall & { readonly journal: string; readonly place: string | null }

const noteCall = (database: DatabaseSync, noted: NotedCall): unknown =>
  database
    .prepare(
      `INSERT INTO journals VALUES ($journal, $place, $call, $id, $startedAt) ON CONFLICT (id) DO UPDATE
       SET place = $place, call = $call, call_id = $id, started_at = $startedAt WHERE $call > call`,
    )
    .run(noted)

/** Compares the journal with this machine's record, and notes the newest call of a different machine. */
export const compareWithMachine = async (here: Here, notes: Notes, seen: Seen): Promise<CallChecks> => {
  const { machine, account, name, place = null } = here
  const { id: journal, newest } = seen
  const conflict = findConflict(here, notes, seen)

  let isAccountNoted = notes.journals.some(({ id, isUsed }) => id === journal && isUsed)

  /**
   * Keeps a newer call that a different process has noted, which guards against restored journals. With `user`, also
   * notes which journal the account uses, which guards against second ones: only that must survive a power failure.
   */
  const note = async ({ call, id, startedAt }: NewestCall, user: AccountId | undefined): Promise<void> => {
    const write = user === undefined || isAccountNoted ? machine.note : machine.write
    await write((database) => {
      noteCall(database, { journal, place, call, id, startedAt })
      if (user === undefined) return
      // A different process may have noted the account's first call meanwhile.
      const found = findConflict(
        here,
        { journals: selectJournals(database, user) },
        { id: journal, hasNewest: true },
      )
      if (found !== undefined) throw found
      const insert = 'INSERT OR IGNORE INTO accounts VALUES (?, ?, ?)'
      database.prepare(insert).run(user.address, user.name ?? '', journal)
    })
    isAccountNoted ||= user !== undefined
  }

  // If this fails, a command that sends cannot note its call either.
  if (newest !== undefined && conflict === undefined && isNewer(newest, notes, journal))
    await note(newest, undefined).catch(() => {})

  return {
    conflict,
    check: async (access, used) => {
      const now = readNotes(here)
      const noted = now.journals.find(({ id }) => id === journal)
      const hasNewest = noted === undefined || (await hasRow(access, callQuery, { id: noted.newest.id }))
      const found = findConflict(here, now, { id: journal, hasNewest })
      if (found !== undefined) throw found
      for (const { source, target } of now.handovers ?? []) {
        if (target !== journal) continue
        if (await hasRow(access, handedOverQuery, { source, ...accountValues(used) })) continue
        throw createHandoverFailure(used, path.join(path.dirname(machine.file), journalFile), name)
      }
    },
    note: (started) => note(started, account),
  }
}

const isNewer = ({ call }: NewestCall, { journals }: Notes, journal: string): boolean =>
  !journals.some(({ id, newest }) => id === journal && newest.call >= call)

/** The journals of the account, and the one here. */
export const findForgettable = (here: Omit<Here, 'name'>): readonly NotedJournal[] => {
  const { journals, unreadable } = readNotes(here)
  if (unreadable !== undefined) throw unreadable
  return journals.filter(
    ({ isUsed, place }) => (isUsed && here.account !== undefined) || isSamePlace(place, here.place),
  )
}

/** Forgets which accounts use the journals, their newest calls and saved outcomes. */
export const forgetJournals = (machine: Machine, journals: readonly NotedJournal[]): Promise<unknown> =>
  machine.write((database) => {
    for (const { id } of journals) {
      database.prepare('DELETE FROM outbox WHERE journal = ?').run(id)
      database.prepare('DELETE FROM journals WHERE id = ?').run(id)
    }
  })

/** Notes the accounts of the file beside the machine file that it hands over, and forgets the others. */
export const noteHandovers = async (machine: Machine, { read }: Read): Promise<void> => {
  const source = await readId(read)
  const handovers = await readHandovers(read)
  await machine.write((database) => {
    database.prepare('DELETE FROM handovers WHERE source = ?').run(source)
    const insert = database.prepare('INSERT INTO handovers VALUES (?, ?, ?, ?)')
    for (const { target, account } of handovers)
      insert.run(source, target, account.address, account.name ?? '')
  })
}

/** The accounts that were handed over use the shared journal from now on. */
export const adoptHandovers = async (machine: Machine, pair: Pair): Promise<void> => {
  const [handover] = await readHandovers(pair.source.read)
  const newestQuery = 'SELECT number, id, started_at FROM calls ORDER BY number DESC LIMIT 1'
  const [newest] = await pair.target.read.all(newestQuery)
  if (handover === undefined || newest === undefined) return
  const { source, target, place } = handover
  const call = { call: Number(newest.number), id: String(newest.id), startedAt: Number(newest.started_at) }
  await machine.write((database) => {
    noteCall(database, { journal: target, place, ...call })
    database
      .prepare(
        `UPDATE accounts SET journal = $target WHERE journal = $source AND EXISTS (SELECT 1 FROM handovers
           WHERE handovers.source = $source AND handovers.target = $target
             AND handovers.address = accounts.address AND handovers.name = accounts.name)`,
      )
      .run({ source, target })
  })
}
