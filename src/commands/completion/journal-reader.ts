// Finds the account in use, and reads its journal for completion.
import { accountWithoutKey } from '../../app/account.ts'
import {
  chooseJournal,
  findJournalFile,
  ownerOf,
  parseJournalAddress,
  type SharedPlace,
} from '../../app/journal/place.ts'
import type { Context } from '../../context.ts'
import { within } from '../../contract/time/clock.ts'
import { Failure } from '../../errors.ts'
import { type Reader, readFromFile, type Selection } from '../../journal/read-only.ts'
import type { Account } from '../../profiles/account.ts'
import type { Asked } from './source.ts'

const findNamedProfile = ({ line }: Asked): string | undefined =>
  line.flags.findLast(({ option }) => option.long === '--profile')?.value

/** Without warnings, which would break the line that the user is typing. Throws if the profiles cannot be read. */
export const findAccount = (asked: Asked): Promise<Account | undefined> =>
  accountWithoutKey(asked.context, findNamedProfile(asked), { onWarning: () => {} }).catch((error) => {
    if (error instanceof Failure && error.kind !== 'local-state') return undefined
    throw error
  })

type Query<Row> = (access: Reader, selection: Selection) => Promise<readonly Row[]>

/** Reads the rows of the account in use. */
export const queryAccount = async <Row>(asked: Asked, query: Query<Row>): Promise<readonly Row[]> => {
  const account = await findAccount(asked)
  return account === undefined ? [] : queryJournal(asked.context, account, query, ownerOf(account))
}

/** Reads the rows that `list` shows: those of every account, or of the named profile. */
export const queryListed = async <Row>(asked: Asked, query: Query<Row>): Promise<readonly Row[]> =>
  queryJournal(asked.context, await findAccount(asked), query, { profile: findNamedProfile(asked) })

const queryJournal = async <Row>(
  context: Context,
  account: Account | undefined,
  query: Query<Row>,
  selection: Selection,
): Promise<readonly Row[]> => {
  const place = chooseJournal(context, account)
  const identify = () => ({ osUser: context.user(), host: context.host() })
  if (place.kind === 'shared') return query(await openShared(context, place, identify), selection)
  const file = findJournalFile(context)
  return file === undefined ? [] : readFromFile(file, identify, (access) => query(access, selection))
}

/** For the connection to a shared journal and all queries of one completion. */
const limitMs = 150

const opened = new WeakMap<Context, Reader>()

/** Only if the server responds at once, and without a prompt or a program. */
const openShared = async (
  context: Context,
  { text }: SharedPlace,
  identify: Reader['identify'],
): Promise<Reader> => {
  const known = opened.get(context)
  if (known !== undefined) return known
  const { openPostgres } = await import('../../postgres/open.ts')
  const { createPostgresDatabase } = await import('../../journal/database/postgres.ts')
  const { environment, home, platform, random, clock } = context
  const postgres = openPostgres({
    ...{ address: parseJournalAddress(context, text), environment, home, platform, random },
    sleep: (ms) => clock.sleep(ms),
    warn: () => {},
    limits: { connections: 1 },
  })
  const { dialect, all } = createPostgresDatabase(postgres)
  const endsAt = clock.monotonic() + limitMs
  const reader: Reader = {
    ...{ dialect, identify },
    all: (sql, values) =>
      within(clock, endsAt - clock.monotonic(), undefined, (limited) => {
        // Ends all attempts. An idle connection does not keep the process alive.
        limited.addEventListener('abort', () => void postgres.close())
        return all(sql, values)
      }),
  }
  opened.set(context, reader)
  return reader
}
