// Opens the journal that a team shares, or its database.
import type { Context } from '../../context.ts'
import { interruption } from '../../errors.ts'
import type { Journal } from '../../journal/journal.ts'
import type { OutboxOptions } from '../../journal/machine/keep-outcomes.ts'
import type { Machine } from '../../journal/machine/machine-file.ts'
import type { SharedOptions } from '../../journal/shared/shared-journal.ts'
import type { Postgres, PostgresOptions } from '../../postgres/open.ts'
import { runCredentialCommand } from '../../profiles/credential.ts'
import { sanitize } from '../../ui/terminal/sanitize.ts'
import { parseJournalAddress, type SharedPlace } from './place.ts'

/** The password of the journal that was opened last. A command may open the journal more than once. */
const acceptedPasswords = new WeakMap<Context, { readonly address: string; readonly password: string }>()

/** `asks` is false with --no-input. */
export const openShared = async (
  context: Context,
  place: SharedPlace,
  asks: boolean,
  listeners: Pick<SharedOptions, 'onDamage' | 'identify' | 'onTime' | 'noted'> &
    Pick<OutboxOptions, 'onSaved'>,
): Promise<Journal> => {
  const { openSharedJournal } = await import('../../journal/shared/shared-journal.ts')
  const { options, password } = createOptions(context, place, asks)
  const address = options.address.text
  const { noted } = listeners
  try {
    const journal = await openSharedJournal({
      ...options,
      ...listeners,
      outbox: noted && createOutboxOptions(context, noted.machine, listeners.onSaved),
    })
    if (password.given !== undefined) acceptedPasswords.set(context, { address, password: password.given })
    return journal
  } catch (error) {
    // A command may print passwords that expire after minutes.
    if (!password.isReused || place.passwordCommand === undefined) throw error
    acceptedPasswords.delete(context)
    return openShared(context, place, asks, listeners)
  }
}

/** Without its tables, which may be missing or of another version. */
export const openSharedDatabase = async (
  context: Context,
  place: SharedPlace,
  asks: boolean,
): Promise<Postgres> => {
  const { openPostgres } = await import('../../postgres/open.ts')
  return openPostgres(createOptions(context, place, asks).options)
}

const createOptions = (context: Context, { text, passwordCommand }: SharedPlace, asks: boolean) => {
  const { environment, home, platform, random, clock, spawn, interrupted } = context
  const address = parseJournalAddress(context, text)
  /** `given`: the password that the user typed or the command printed. `isReused`: the journal accepted it before. */
  const password: { given?: string | undefined; isReused?: boolean } = {}

  const askPassword = async (): Promise<string | undefined> => {
    const accepted = acceptedPasswords.get(context)
    if (accepted?.address === address.text) {
      password.isReused = true
      return accepted.password
    }
    if (passwordCommand !== undefined) {
      const tools = { spawn, clock, interrupted, secret: 'journal password' as const }
      password.given = await runCredentialCommand(passwordCommand, tools)
    } else if (asks) {
      password.given = await context.promptSecret(
        `Database password of ${sanitize(address.user)} (not shown)`,
      )
      if (password.given === undefined) throw interruption(interrupted, 'cancelled; nothing was sent')
    }
    return password.given
  }
  const options: PostgresOptions = {
    ...{ address, environment, home, platform, random, askPassword },
    sleep: (ms) => clock.sleep(ms),
    warn: (warning) => context.stderr.warn(`${sanitize(warning)}`),
  }
  return { options, password }
}

const createOutboxOptions = (
  { stderr, suggest }: Context,
  machine: Machine,
  onSaved: OutboxOptions['onSaved'],
): SharedOptions['outbox'] => ({
  onSaved: (name) => {
    onSaved(name)
    stderr.warn(
      `the outcome of ${sanitize(name)} was saved on this machine (${machine.file}), and the next orderctl command will write it to the journal`,
    )
  },
  onProblem: (problem, isRecorded) => {
    const advice = isRecorded ? '' : `. Run this: ${suggest`reconcile`}. Then use journal forget`
    stderr.warn(`${sanitize(problem)}${advice}`)
  },
})
