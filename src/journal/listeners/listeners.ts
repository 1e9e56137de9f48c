// The processes that receive webhooks of an account and write what they learn into this journal. They are
// `journal.openTables(createListenerTable)`: a process calls `beat` at its start and then at least every `beatEveryMs`,
// and `end` when it stops. `isListening` tells whether any process has done so within `aliveMs`, by the clock of the
// database.
import type { AccountId } from '../../contract/account-id.ts'
import { ofSameAccount } from '../accounts.ts'
import type { Dialect } from '../database/dialect.ts'
import type { JournalParts } from '../journal.ts'

export const beatEveryMs = 10_000
/** A listener that was not seen for this time has ended without saying so. */
const aliveMs = 30_000

/** A condition on a row of listeners. A time in the future was recorded before the clock was set back. */
export const isAlive = ({ now }: Pick<Dialect, 'now'>): string =>
  `seen_at BETWEEN ${now} - ${aliveMs} AND ${now} + ${aliveMs}`

export type ListenerTable = ReturnType<typeof createListenerTable>

export const createListenerTable = ({ tables, runTransaction }: JournalParts) => ({
  /** Registers the process, or says that it still receives webhooks of the account. */
  beat: (account: AccountId, processId: number): Promise<void> =>
    runTransaction(async ({ statements: { run, dialect }, accounts, actor }) => {
      const number = await accounts.getOrAddNumber(account)
      await Promise.all([
        run(`DELETE FROM listeners WHERE account = $number AND NOT (${isAlive(dialect)})`, { number }),
        run(
          `INSERT INTO listeners (account, actor, process, seen_at)
           VALUES ($number, $actor, $processId, ${dialect.now})
           ON CONFLICT (account, actor, process) DO UPDATE SET seen_at = excluded.seen_at`,
          { number, actor: actor ?? null, processId },
        ),
      ])
    }),

  end: (account: AccountId, processId: number): Promise<void> =>
    runTransaction(async ({ statements: { run }, accounts, actor }) => {
      const number = await accounts.getOrAddNumber(account)
      await run('DELETE FROM listeners WHERE account = $number AND actor = $actor AND process = $processId', {
        ...{ number, actor: actor ?? null, processId },
      })
    }),

  isListening: async (account: AccountId): Promise<boolean> => {
    const { all, dialect } = tables.statements
    const { where, values } = ofSameAccount(account)
    const found = await all(`SELECT 1 FROM listeners WHERE ${where} AND ${isAlive(dialect)} LIMIT 1`, values)
    return found.length > 0
  },
})
