// Opens the journal that a team shares.
import type { Context } from '../../../context.ts'
import type { DamagedRow } from '../../../journal/damage.ts'
import type { Journal } from '../../../journal/journal.ts'
import { runCredentialCommand } from '../../../profiles/credential.ts'
import { sanitize } from '../../../ui/terminal/sanitize.ts'
import type { SharedPlace } from './place.ts'
import { parseJournalAddress } from './shared-place.ts'

type Options = {
  readonly onDamage: (row: DamagedRow) => void
  /** The time of the database when the journal was opened. */
  readonly onTime: (ms: number) => void
  /** False with --no-input. */
  readonly asks: boolean
}

export const openShared = async (
  context: Context,
  { text, passwordCommand }: SharedPlace,
  { asks, ...listeners }: Options,
): Promise<Journal> => {
  const { openSharedJournal } = await import('../../../journal/shared-journal.ts')
  const address = parseJournalAddress(context, text)
  const { environment, home, platform, random, clock, stderr } = context
  return openSharedJournal({
    ...{ address, environment, home, platform, random, ...listeners },
    sleep: (ms) => clock.sleep(ms),
    warn: (warning) => stderr.write(`warning: ${sanitize(warning)}\n`),
    askPassword: async () => {
      if (passwordCommand !== undefined) return readFromCommand(context, passwordCommand)
      return asks ? context.promptSecret(`Password of ${sanitize(address.user)} (not shown)`) : undefined
    },
  })
}

const readFromCommand = ({ shell, clock, interrupted }: Context, command: string): Promise<string> =>
  runCredentialCommand(command, { spawn: shell, clock, interrupted })
