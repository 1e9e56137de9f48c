// Reads a shared journal for the TAB key: only if the server responds at once, and without a prompt or a program.
import type { Context } from '../../context.ts'
import { within } from '../../contract/clock.ts'
import type { Access, User } from '../../journal/access.ts'
import { createPostgresDatabase } from '../../journal/database/postgres.ts'
import { openPostgres } from '../../postgres/open.ts'
import { parseJournalAddress } from '../shared/journal/place.ts'

/** For the connection and all queries of one completion. */
const limitMs = 150

const opened = new WeakMap<Context, Access>()

export const openSharedAccess = (context: Context, address: string, user: User): Access => {
  const access = opened.get(context) ?? openAccess(context, address, user)
  opened.set(context, access)
  return access
}

const openAccess = (context: Context, address: string, user: User): Access => {
  const { environment, home, platform, random, clock } = context
  const postgres = openPostgres({
    address: parseJournalAddress(context, address),
    environment,
    home,
    platform,
    random,
    sleep: (ms) => clock.sleep(ms),
    warn: () => {},
    limits: { connections: 1 },
  })
  const { dialect, all } = createPostgresDatabase(postgres)
  const endsAt = clock.monotonic() + limitMs
  return {
    ...{ dialect, ...user },
    all: (sql, values) =>
      within(clock, endsAt - clock.monotonic(), undefined, (limited) => {
        // Ends all attempts. An idle connection does not keep the process alive.
        limited.addEventListener('abort', () => void postgres.close())
        return all(sql, values)
      }),
  }
}
