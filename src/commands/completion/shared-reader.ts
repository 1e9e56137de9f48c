// Reads a shared journal for the TAB key: only if the server responds at once, and without a prompt or a program.
import type { Context } from '../../context.ts'
import { within } from '../../contract/clock.ts'
import { createSharedReader, type ReadRows } from '../../journal/read-only.ts'
import { openPostgres } from '../../postgres/open.ts'
import { parseJournalAddress } from '../shared/journal/place.ts'

/** For the connection and all queries of one completion. */
const limitMs = 150

const readers = new WeakMap<Context, ReadRows>()

export const openSharedReader = (context: Context, address: string): ReadRows => {
  const reader = readers.get(context) ?? openReader(context, address)
  readers.set(context, reader)
  return reader
}

const openReader = (context: Context, address: string): ReadRows => {
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
  const read = createSharedReader(postgres, { osUser: context.user() })
  const endsAt = clock.monotonic() + limitMs
  return (query, use) =>
    within(clock, endsAt - clock.monotonic(), undefined, (limited) => {
      // Ends all attempts. An idle connection does not keep the process alive.
      limited.addEventListener('abort', () => void postgres.close())
      return read(query, use)
    })
}
