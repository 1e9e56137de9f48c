// The steps of `orderctl journal copy`.
import { existsSync, realpathSync } from 'node:fs'
import path from 'node:path'
import { journalsOf } from '../../app/journal/open-journal.ts'
import { findJournalFile } from '../../app/journal/place.ts'
import { profilesOf } from '../../app/profiles.ts'
import type { Context } from '../../context.ts'
import { decimal } from '../../contract/money/decimal.ts'
import { Failure } from '../../errors.ts'
import { exitCodes } from '../../exit-codes.ts'
import { type CopiedLimit, type CopyResult, copyJournal } from '../../journal/copy/copy-journal.ts'
import { journalFile } from '../../journal/file-names.ts'
import { type Account, journalVariable } from '../../profiles/account.ts'
import { environmentName } from '../../profiles/profile.ts'
import { formatBudget } from '../../ui/screens/limits.ts'
import { sanitize } from '../../ui/terminal/sanitize.ts'
import { describeCount, formatMoney } from '../../ui/text/amounts.ts'
import { renderJson } from '../../ui/text/json.ts'
import { findAccount } from './run.ts'
import type { CopyOptions } from './spec.ts'

/** Returns the exit code. */
export const copyFile = async (context: Context, options: CopyOptions): Promise<number> => {
  const account = await findAccount(context, options.profile)
  await using journals = journalsOf(context, account, { ...options, isTarget: true })
  if (journals.place.kind === 'file') {
    throw new Failure('usage', 'journal copy needs a shared journal to copy to', {
      advice: 'Set ORDERCTL_JOURNAL to the address of the shared journal, or name a profile that has one.',
    })
  }
  const file = context.absolute(options.from)
  const target = await journals.openOrCreate()
  const result = await copyJournal(file, target, (profile) => findReconcile(context, account, profile, file))
  if (options.json) context.stdout.write(renderJson(toData(result)))
  else print(context, result)
  // The file does not know what others order with the shared journal.
  if (isOwnJournal(context, file)) await target.adoptAccounts()
  const [only, ...others] = result.changed
  if (only === undefined) return exitCodes.ok.code
  const what = others.length === 0 ? `the batch ${only} was` : `the batches ${result.changed.join(', ')} were`
  // Everything else was copied.
  throw new Failure(
    'duplicate',
    `${what} copied before, and was changed in the file since then; the rows and cards in the shared journal stay as they are`,
    { advice: 'Buy the rest of the batch with the shared journal only.' },
  )
}

/** The file may be a link to a disk that is not mounted. */
const isOwnJournal = (context: Context, file: string): boolean => {
  const own = findJournalFile(context)
  return own !== undefined && existsSync(own) && realpathSync(own) === realpathSync(file)
}

/** The command that settles the orders of a profile in the file, if a command can choose this file. */
const findReconcile = (
  context: Context,
  account: Account | undefined,
  profile: string,
  file: string,
): string | undefined => {
  const { environment, platform, suggest } = context
  const own = profile === environmentName ? undefined : profilesOf(context).get(profile)
  const isUsed = own === undefined ? profile === account?.name : own.journal === undefined
  const variables: string[] = []
  if (environment[journalVariable] !== undefined) variables.push(`-u ${journalVariable}`)
  if (findJournalFile(context) !== file)
    variables.push(`ORDERCTL_STATE_DIR=${suggest.quote(path.dirname(file))}`)
  const canSet = platform !== 'win32' || variables.length === 0
  if (path.basename(file) !== journalFile || !isUsed || !canSet) return undefined
  const command = own === undefined ? suggest`reconcile` : suggest.onProfile(profile)`reconcile`
  return variables.length === 0 ? command : ['env', ...variables, command].join(' ')
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
  const { orders, batches, reveals, updated, conflicts, clashes, renamed, limits } = result
  const counts = `${describeCount(orders, 'order')}, ${describeCount(batches, 'batch', 'batches')}`
  const lines = [
    `Copied ${counts} and ${describeCount(reveals, 'reveal')}. Updated ${updated}.`,
    ...renamed.map(
      ({ from, to }) =>
        `The batch ${sanitize(from)} is now named ${sanitize(to)}, because another batch has its name.`,
    ),
    ...limits.copied.map((limit) => `Copied the limit ${describeLimit(limit)}.`),
    ...limits.kept.map((limit) => `The shared journal keeps its limit ${describeLimit(limit)}.`),
  ]
  stdout.write(lines.map((line) => `${line}\n`).join(''))
  for (const limit of limits.refused)
    stderr.warn(
      `the limit ${describeLimit(limit)} was not copied, because your database role may not change limits`,
    )
  for (const { batch, orders: both } of clashes)
    stderr.warn(
      `the orders ${both.join(' and ')} of the batch ${sanitize(batch)} may have bought the same cards. Compare them: ${suggest`list ${{ batch }}`}`,
    )
  for (const reference of conflicts)
    stderr.warn(
      `two different orders have the reference ${sanitize(reference)}, so it may have been bought twice. Compare them: ${suggest`list ${{ reference }}`}`,
    )
}

/** '500.00 USD per day of the account eu' */
const describeLimit = ({ kind, currency, amount, account }: CopiedLimit): string => {
  const approval = `${formatMoney(decimal(amount), currency)} for approvals`
  const limit = kind === 'approval' ? approval : formatBudget({ kind, currency, amount })
  return account === null ? limit : `${limit} of the account ${sanitize(account)}`
}
