// Finds the account in use, and reads its journal for completion.
import { findAccountWithoutKey } from '../../app/account.ts'
import { chooseJournal, findJournalFile, ownerOf, parseJournalAddress } from '../../app/journal/place.ts'
import type { Context } from '../../context.ts'
import { within } from '../../contract/time/clock.ts'
import { type Reader, readFromFile } from '../../journal/read-only.ts'
import type { Account } from '../../profiles/account.ts'
import type { Asked } from './source.ts'

/** Without warnings, which would break the line that the user is typing. */
export const findAccount = ({ context, line }: Asked): Promise<Account | undefined> => {
  const named = line.flags.findLast(({ option }) => option.long === '--profile')
  return findAccountWithoutKey(context, named?.value, { onWarning: () => {} })
}

type Query<Row> = (reader: Reader) => Promise<readonly Row[]>

/** Reads the journal of the account in use. */
export const queryJournal = async <Row>(asked: Asked, query: Query<Row>): Promise<readonly Row[]> => {
  const { context } = asked
  const account = await findAccount(asked)
  if (account === undefined) return []
  const owner = { ...ownerOf(account), identify: () => ({ osUser: context.user(), host: context.host() }) }
  const place = chooseJournal(context, account)
  if (place.kind === 'shared') return queryShared(context, place.text, owner, query)
  const file = findJournalFile(context)
  return file === undefined ? [] : readFromFile(file, owner, query)
}

/** For the connection and all queries. */
const limitMs = 150

/** Only if the server responds at once, and without a prompt or a program. */
const queryShared = async <Row>(
  context: Context,
  text: string,
  owner: Pick<Reader, 'account' | 'identify'>,
  query: Query<Row>,
): Promise<readonly Row[]> => {
  const { openPostgres } = await import('../../postgres/open.ts')
  const { createPostgresDatabase } = await import('../../journal/database/postgres.ts')
  const { environment, home, platform, random, clock } = context
  const postgres = openPostgres({
    ...{ address: parseJournalAddress(context, text), environment, home, platform, random },
    sleep: (ms) => clock.sleep(ms),
    warn: () => {},
    limits: { connections: 1 },
  })
  return within(clock, limitMs, undefined, (limited) => {
    // Ends all attempts. An idle connection does not keep the process alive.
    limited.addEventListener('abort', () => void postgres.close())
    return query({ ...owner, ...createPostgresDatabase(postgres) })
  })
}
