// Reads a shared journal for the TAB key: only if the server responds at once, and without a prompt or a program.

import { parseJournalAddress } from '../../app/journal/place.ts'
import type { Context } from '../../context.ts'
import { within } from '../../contract/clock.ts'
import { createPostgresDatabase } from '../../journal/database/postgres.ts'
import type { Reader } from '../../journal/read-only.ts'
import { openPostgres } from '../../postgres/open.ts'

/** For the connection and all queries of one completion. */
const limitMs = 150

const opened = new WeakMap<Context, Reader>()

export const openSharedReader = (context: Context, address: string, identify: Reader['identify']): Reader => {
  const access = opened.get(context) ?? openReader(context, address, identify)
  opened.set(context, access)
  return access
}

const openReader = (context: Context, address: string, identify: Reader['identify']): Reader => {
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
    ...{ dialect, identify },
    all: (sql, values) =>
      within(clock, endsAt - clock.monotonic(), undefined, (limited) => {
        // Ends all attempts. An idle connection does not keep the process alive.
        limited.addEventListener('abort', () => void postgres.close())
        return all(sql, values)
      }),
  }
}
