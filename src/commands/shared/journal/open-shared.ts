// Opens the journal that a team shares, or its database.
import type { Context } from '../../../context.ts'
import { interruption } from '../../../errors.ts'
import type { Identity } from '../../../journal/access.ts'
import type { Journal } from '../../../journal/journal.ts'
import type { DamagedRow } from '../../../journal/row.ts'
import type { SpoolOptions } from '../../../journal/spool/keep-outcomes.ts'
import type { Address } from '../../../postgres/address.ts'
import type { Postgres, PostgresOptions } from '../../../postgres/open.ts'
import { runCredentialCommand } from '../../../profiles/credential.ts'
import { sanitize } from '../../../ui/terminal/sanitize.ts'
import type { SharedPlace } from './place.ts'
import { parseJournalAddress } from './shared-place.ts'
import { findNoteFolder, findSpoolFolder } from './state-folder.ts'

type Prompts = {
  /** False with --no-input. */
  readonly asks: boolean
}

type PasswordListeners = {
  /** A person typed the password, or the command printed it. */
  readonly onGiven: (password: string) => void
  /** The journal is opened with the password that it accepted before. */
  readonly onReused: () => void
}

type Options = Prompts & {
  readonly onDamage: (row: DamagedRow) => void
  readonly identify: () => Identity
  /** The time of the database when the journal was opened. */
  readonly onTime: (ms: number) => void
}

export const openShared = async (
  context: Context,
  place: SharedPlace,
  { asks, ...listeners }: Options,
): Promise<Journal> => {
  const { openSharedJournal } = await import('../../../journal/shared/shared-journal.ts')
  let isReused = false
  const open = async (): Promise<Journal> => {
    let given: string | undefined
    const options = createOptions(context, place, {
      asks,
      onGiven: (password) => {
        given = password
      },
      onReused: () => {
        isReused = true
      },
    })
    const journal = await openSharedJournal({
      ...options,
      ...listeners,
      spool: createSpoolOptions(context),
      noteFolder: findNoteFolder(context),
    })
    if (given !== undefined)
      acceptedPasswords.set(context, { address: options.address.text, password: given })
    return journal
  }
  return open().catch((error) => {
    // A command may print passwords that expire after minutes.
    if (!isReused || place.passwordCommand === undefined) throw error
    acceptedPasswords.delete(context)
    return open()
  })
}

/** The password of the journal that was opened last. A command may open the journal more than once. */
const acceptedPasswords = new WeakMap<Context, { readonly address: string; readonly password: string }>()

/** Without its tables, which may be missing or of another version. */
export const openSharedDatabase = async (
  context: Context,
  place: SharedPlace,
  prompts: Prompts,
): Promise<Postgres> => {
  const { openPostgres } = await import('../../../postgres/open.ts')
  return openPostgres(createOptions(context, place, prompts))
}

const createOptions = (
  context: Context,
  { text, passwordCommand }: SharedPlace,
  { asks, onGiven, onReused }: Prompts & Partial<PasswordListeners>,
): PostgresOptions => {
  const address = parseJournalAddress(context, text)
  const { environment, home, platform, random, clock } = context
  return {
    address,
    environment,
    home,
    platform,
    random,
    sleep: (ms) => clock.sleep(ms),
    warn: (warning) => warn(context, warning),
    askPassword: async () => {
      const accepted = acceptedPasswords.get(context)
      if (accepted?.address === address.text) {
        onReused?.()
        return accepted.password
      }
      const password =
        passwordCommand === undefined
          ? await askPerson(context, address, asks)
          : await readFromCommand(context, passwordCommand)
      if (password !== undefined) onGiven?.(password)
      return password
    },
  }
}

const askPerson = async (
  context: Context,
  { user }: Pick<Address, 'user'>,
  asks: boolean,
): Promise<string | undefined> => {
  if (!asks) return undefined
  const password = await context.promptSecret(`Database password of ${sanitize(user)} (not shown)`)
  if (password === undefined) throw interruption(context.interrupted, 'cancelled; nothing was sent')
  return password
}

const warn = ({ stderr }: Context, text: string): void => stderr.warn(`${sanitize(text)}`)

/** Without a state folder, an outcome that the journal cannot record is only printed. */
const createSpoolOptions = (context: Context): SpoolOptions | undefined => {
  const folder = findSpoolFolder(context)
  if (folder === undefined) return undefined
  return {
    folder,
    onSaved: (name) =>
      warn(
        context,
        `the outcome of ${name} was saved on this machine (${folder}), and the next orderctl command will write it to the journal`,
      ),
    onProblem: ({ file, reason, isRecorded }) => {
      const fix = isRecorded ? 'Delete it.' : `Run this, then delete it: ${context.suggest`reconcile`}`
      warn(context, `the saved outcome ${file} ${reason}. ${fix}`)
    },
  }
}

const readFromCommand = ({ spawn, clock, interrupted }: Context, command: string): Promise<string> =>
  runCredentialCommand(command, { spawn, clock, interrupted, secret: 'journal password' })
