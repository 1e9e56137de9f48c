// The steps of `orderctl journal copy`.
import { existsSync, realpathSync } from 'node:fs'
import path from 'node:path'
import type { Context } from '../../context.ts'
import { decimal } from '../../contract/decimal.ts'
import { Failure } from '../../errors.ts'
import { exitCodes } from '../../exit-codes.ts'
import type { CopiedLimit, CopyResult } from '../../journal/copy/copy-journal.ts'
import { type Account, journalVariable } from '../../profiles/account.ts'
import { environmentName } from '../../profiles/profile.ts'
import { formatBudget } from '../../ui/screens/limits/budgets.ts'
import { sanitize } from '../../ui/terminal/sanitize.ts'
import { formatMoney } from '../../ui/text/amounts.ts'
import { renderJson } from '../../ui/text/json.ts'
import { journalsOf } from '../shared/journal/open-journal.ts'
import type { JournalPlace } from '../shared/journal/place.ts'
import { findNewJournal } from '../shared/journal/shared-place.ts'
import { findStateFile, journalFile } from '../shared/journal/state-folder.ts'
import { profilesOf } from '../shared/profiles.ts'
import { findAccount } from './run.ts'
import type { CopyOptions } from './spec.ts'

/** Returns the exit code. */
export const copyFile = async (context: Context, options: CopyOptions): Promise<number> => {
  const account = findAccount(context, options.profile)
  const journals = journalsOf(context, account, options)
  if (journals.place.kind === 'file') {
    throw new Failure('usage', 'journal copy needs a shared journal to copy to', {
      fix: 'Set ORDERCTL_JOURNAL to the address of the shared journal, or name a profile that has one.',
    })
  }
  const { copyJournal } = await import('../../journal/copy/copy-journal.ts')
  try {
    const file = context.absolute(options.from)
    const result = await copyJournal(file, await journals.openToWrite(), (profile) =>
      findReconcile(context, { account, profile, file }),
    )
    if (options.json) context.stdout.write(renderJson(toData(result)))
    else print(context, result)
    await rememberTarget(context, account, { place: journals.place, file })
    if (result.changed.length > 0) throw createChangedFailure(result.changed)
    return exitCodes.ok.code
  } finally {
    await journals.close()
  }
}

/**
 * The copied journal does not know what others order with the shared one. So the profile does not spend with it any
 * more, as after its first order with the shared journal.
 */
const rememberTarget = async (
  context: Context,
  account: Account | undefined,
  { place, file }: { readonly place: JournalPlace; readonly file: string },
): Promise<void> => {
  const own = findStateFile(journalFile, context)
  // The file may be a link to a disk that is not mounted.
  if (own === undefined || !existsSync(own) || realpathSync(own) !== realpathSync(file)) return
  if (account?.kind !== 'service' || account.name === environmentName || account.lastJournal !== undefined)
    return
  const found = findNewJournal(context, account, place)
  if (found !== undefined) await profilesOf(context).update(account.name, { lastJournal: found })
}

type Unproven = {
  readonly account: Account | undefined
  /** The profile that placed the order. */
  readonly profile: string
  readonly file: string
}

/** The command that settles orders in the file, if a command can choose this file. */
const findReconcile = (context: Context, { account, profile, file }: Unproven): string | undefined => {
  const { environment, platform, suggest } = context
  const own = profile === environmentName ? undefined : profilesOf(context).get(profile)
  const isCurrent = findStateFile(journalFile, context) === file
  const variables = [
    ...(environment[journalVariable] === undefined ? [] : [`-u ${journalVariable}`]),
    ...(isCurrent ? [] : [`ORDERCTL_STATE_DIR=${suggest.quote(path.dirname(file))}`]),
  ]
  const canChoose =
    path.basename(file) === journalFile &&
    own?.journal === undefined &&
    (own !== undefined || profile === account?.name) &&
    (platform !== 'win32' || variables.length === 0)
  if (!canChoose) return undefined
  const command = own === undefined ? suggest`reconcile` : suggest.onProfile(profile)`reconcile`
  return [...(variables.length === 0 ? [] : ['env', ...variables]), command].join(' ')
}

/** Everything else was copied. */
const createChangedFailure = (changed: readonly string[]): Failure => {
  const names = changed.join(', ')
  const what = changed.length === 1 ? `the batch ${names} was` : `the batches ${names} were`
  return new Failure(
    'duplicate',
    `${what} copied before, and was changed in the file since then; the rows and cards in the shared journal stay as they are`,
    { fix: 'Buy the rest of a batch with one journal only: the shared one.' },
  )
}

const toData = ({ limits, ...result }: CopyResult) => {
  const toAmounts = (all: readonly CopiedLimit[]) =>
    all.map(({ amount, ...limit }) => ({ ...limit, amount: decimal(amount) }))
  const { copied, kept, refused } = limits
  return {
    ...result,
    limits: { copied: toAmounts(copied), kept: toAmounts(kept), refused: toAmounts(refused) },
  }
}

const print = ({ stdout, stderr, suggest }: Context, result: CopyResult): void => {
  const { orders, batches, reveals, updated, conflicts, renamed, limits } = result
  stdout.write(
    `Copied ${count(orders, 'order')}, ${count(batches, 'batch', 'batches')} and ${count(reveals, 'reveal')}. Updated ${updated}.\n`,
  )
  for (const { from, to } of renamed) {
    stdout.write(
      `The batch ${sanitize(from)} is now named ${sanitize(to)}, because another batch has its name.\n`,
    )
  }
  for (const limit of limits.copied) stdout.write(`Copied the limit ${describeLimit(limit)}.\n`)
  for (const limit of limits.kept) {
    stdout.write(`The shared journal keeps its limit ${describeLimit(limit)}.\n`)
  }
  for (const limit of limits.refused) {
    stderr.warn(
      `the limit ${describeLimit(limit)} was not copied, because your database role may not change limits`,
    )
  }
  for (const reference of conflicts) {
    stderr.warn(
      `two different orders have the reference ${sanitize(reference)}, so it may have been bought twice. Compare them: ${suggest`list ${{ reference }}`}`,
    )
  }
}

const count = (number: number, one: string, many = `${one}s`): string =>
  `${number} ${number === 1 ? one : many}`

/** '500.00 USD per day of the account eu' */
const describeLimit = ({ kind, currency, amount, account }: CopiedLimit): string => {
  const limit =
    kind === 'approval'
      ? `${formatMoney(decimal(amount), currency)} for approvals`
      : formatBudget({ kind, currency, amount })
  return account === null ? limit : `${limit} of the account ${sanitize(account)}`
}
