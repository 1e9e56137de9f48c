// The steps of `orderctl journal copy`: takes the right to buy from the journal of this machine, and copies its orders into a
// shared journal.

import { existsSync, realpathSync } from 'node:fs'
import { profilesOf } from '../../app/account.ts'
import { journalsOf } from '../../app/journal/open-journal.ts'
import {
  chooseJournal,
  describeJournal,
  findJournalFile,
  type SharedPlace,
  stateFolderPath,
} from '../../app/journal/place.ts'
import { writeNote } from '../../app/notes.ts'
import type { Context } from '../../context.ts'
import { decimal } from '../../contract/money/decimal.ts'
import { type Advice, Failure, interruption, joinAdvice } from '../../errors.ts'
import { type CopiedLimit, type CopyResult, copyJournal, giveBack } from '../../journal/copy/copy-journal.ts'
import {
  beginHandover,
  createOtherTarget,
  type Pair,
  readHandovers,
  refuseChanged,
  type UnprovenOrder,
} from '../../journal/copy/handover.ts'
import type { Journal } from '../../journal/journal.ts'
import { type Machine, openMachine } from '../../journal/machine/machine-file.ts'
import { adoptHandovers, noteHandovers } from '../../journal/machine/newest-call.ts'
import { findEnd, isInFlight } from '../../operations/purchase-step.ts'
import { type Account, journalVariable } from '../../profiles/account.ts'
import { environmentName } from '../../profiles/profile.ts'
import { formatBudget } from '../../ui/screens/limits.ts'
import { sanitize } from '../../ui/terminal/text.ts'
import { describeCount, formatMoney } from '../../ui/text/formats.ts'
import { renderJson } from '../../ui/text/json.ts'
import { fieldsOf, listOf, pick, type ResultFields, readFields } from '../../ui/text/result-fields.ts'
import { findAccount } from './run.ts'
import type { CopyOptions } from './spec.ts'

export const copyFile = async (context: Context, options: CopyOptions): Promise<void> => {
  const account = await findAccount(context, options.profile)
  const file = findFile(context, options.from)
  await using journals = journalsOf(context, undefined, { place: { kind: 'file' } })
  const source = await journals.openOrCreate()
  if (source.conflict !== undefined) throw source.conflict
  using machine = openMachine(stateFolderPath(context))
  const place = await choosePlace(context, account, source)
  await using targets = journalsOf(context, undefined, { ...options, place })
  const pair = { file, source, target: await targets.openOrCreate() }
  if (options.undo) return await undoCopy(context, pair, machine, options.json)
  await takeRight(context, account, pair, describeJournal(context, place).name)
  await noteHandovers(machine, source)
  const result = await copyJournal(pair).catch(async (error) => {
    await noteHandovers(machine, source)
    throw (await readHandovers(source.read)).length === 0 ? error : addAdvice(error)
  })
  await adoptHandovers(machine, pair)
  if (options.json) context.stdout.write(renderJson(readFields(copiedFields, result)))
  else printCopy(context, result)
}

const undoCopy = async ({ stdout }: Context, pair: Pair, machine: Machine, json: boolean) => {
  const { returned, copied, contained } = await giveBack(pair)
  await noteHandovers(machine, pair.source)
  refuseChanged(pair.file, copied, contained)
  const [left] = await readHandovers(pair.source.read)
  if (left !== undefined)
    throw copied.length > 0 ? createCopiedFailure(pair.file, left.place) : createOtherTarget(left.place)
  const undone = returned.length > 0
  if (json) stdout.write(renderJson(readFields(undoneFields, { undone })))
  else
    stdout.write(
      undone ? `This machine buys with ${sanitize(pair.file)} again.\n` : 'There is no copy to undo.\n',
    )
}

/** A copy of the journal may lack what the journal has bought since. */
const findFile = (context: Context, from: string): string => {
  const file = context.absolute(from)
  const own = findJournalFile(context)
  const isThere = own !== undefined && existsSync(own)
  if (isThere && existsSync(file) && realpathSync(own) === realpathSync(file)) return own
  throw new Failure('usage', `--from: ${from} is not the journal of this machine; nothing was copied`, {
    field: '--from',
    fix: (suggest) => (isThere ? suggest`journal copy ${{ from: own }}` : undefined),
    advice: 'Run journal copy on the machine that uses the journal. Do not copy a backup.',
  })
}

/** The shared journal that was chosen, or that a copy which is not complete began with. */
const choosePlace = async (
  context: Context,
  account: Account | undefined,
  source: Journal,
): Promise<SharedPlace> => {
  const chosen = chooseJournal(context, account)
  if (chosen.kind === 'shared') return chosen
  const [handover] = await readHandovers(source.read)
  if (handover !== undefined) return { kind: 'shared', text: handover.place }
  throw new Failure('usage', 'journal copy needs a shared journal to copy to', {
    advice:
      'Set ORDERCTL_JOURNAL to the address of the shared journal, or use --profile with a profile that has one.',
  })
}

/** The file has no right to buy, and the copy may not be complete. */
const addAdvice = (error: unknown): unknown =>
  error instanceof Failure
    ? new Failure(error.reason, error.message, {
        ...error.details,
        advice: joinAdvice(
          error.details.advice,
          'Neither journal buys until the copy is complete: run it again, or use --undo.',
        ) as Advice,
      })
    : error

const createCopiedFailure = (file: string, place: string): Failure =>
  new Failure('other-journal', `${place} has the orders of ${file}, so the copy cannot be undone`, {
    fix: (suggest) => suggest`journal copy ${{ from: file }}`,
  })

const longestPauseMs = 15_000

/** Waits until no other command can still record the outcome of a call. Each of them ends at the next call. */
const takeRight = async (context: Context, account: Account | undefined, pair: Pair, place: string) => {
  const { clock, interrupted } = context
  let endsAt: number | undefined
  for (let pauseMs = 1_000; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
    const now = clock.now()
    const hindrance = await beginHandover(pair, { place, isInFlight: (call) => isInFlight(call, now) })
    if (hindrance === undefined) return
    if (hindrance.kind === 'unproven')
      throw createUnprovenFailure(context, account, pair.file, hindrance.orders)
    if (endsAt === undefined) {
      const ms = Math.max(...hindrance.calls.map(findEnd)) - now
      endsAt = clock.monotonic() + ms
      const limit = `${Math.ceil(ms / 1_000)} s`
      writeNote(context, `Another command is buying with this journal. Waiting for it (up to ${limit}).\n`)
    }
    if (clock.monotonic() >= endsAt)
      throw new Failure('local-state', `other commands still buy with ${pair.file}; nothing was copied`, {
        advice: 'End them with Ctrl-C. Then copy the journal.',
      })
    await clock.sleep(pauseMs, interrupted)
    if (interrupted.aborted) throw interruption(interrupted, 'interrupted; nothing was copied')
  }
}

/** Names the command that settles the orders, if a command can choose the file. */
const createUnprovenFailure = (
  context: Context,
  account: Account | undefined,
  file: string,
  orders: readonly UnprovenOrder[],
): Failure => {
  const { environment, platform } = context
  const names = orders.map(({ id, profile }) => `${id} of the profile ${profile}`).join(', ')
  const { profile = '' } = orders[0] ?? {}
  const own = profile === environmentName ? undefined : profilesOf(context).get(profile)
  const isUsed = own === undefined ? profile === account?.name : own.journal === undefined
  const unset = environment[journalVariable] === undefined ? '' : `env -u ${journalVariable} `
  const canChoose = isUsed && (unset === '' || platform !== 'win32')
  const problem = `${file} has orders whose confirm may have spent money: ${names}; nothing was copied`
  return new Failure('unproven', problem, {
    fix: (suggest) =>
      canChoose ? unset + (own ? suggest.onProfile(profile) : suggest)`reconcile` : undefined,
    advice: 'Reconcile them with this journal. Then copy it.',
  })
}

const renamedFields = fieldsOf({ from: ['text', 'its name before'], to: ['text', 'its new name'] })

const limitFields: ResultFields<CopiedLimit> = [
  ['per', 'text', 'order, day, week, month, approval or prepare-only', ({ kind }) => kind],
  ...pick((limit: CopiedLimit) => limit, {
    currency: ['text', 'of the amount'],
    amount: ['amount', 'the limit'],
    account: ['text', "the account's declared name"],
  }),
]

export const copiedFields: ResultFields<CopyResult> = [
  ['copiedBefore', 'flag', 'the shared journal had them already', ({ copiedBefore }) => copiedBefore],
  ['orderCount', 'count', 'orders that were copied', ({ orders }) => orders],
  ['inBothCount', 'count', 'orders that the shared journal had', ({ inBoth }) => inBoth],
  ['batchCount', 'count', 'batches that were copied', ({ batches }) => batches],
  ['revealCount', 'count', 'reveals that were copied', ({ reveals }) => reveals],
  ['renamed', listOf(renamedFields), 'batches that got a new name', ({ renamed }) => renamed],
  ['copiedLimits', listOf(limitFields), 'limits that were copied', ({ limits }) => limits.copied],
  ['keptLimits', listOf(limitFields), 'limits of the shared journal', ({ limits }) => limits.kept],
  [
    'refusedLimits',
    listOf(limitFields),
    'limits that your role may not copy',
    ({ limits }) => limits.refused,
  ],
]

export const undoneFields = fieldsOf({ undone: ['flag', 'this machine buys with its journal again'] })

export const printCopy = ({ stdout, stderr }: Context, result: CopyResult): void => {
  const { orders, inBoth, batches, reveals, copiedBefore, renamed, limits } = result
  const counts = `${describeCount(orders, 'order')}, ${describeCount(batches, 'batch', 'batches')}`
  const lines = [
    copiedBefore
      ? 'The shared journal already has the orders of this file.'
      : `Copied ${counts} and ${describeCount(reveals, 'reveal')}.`,
    ...(inBoth > 0 ? [`The shared journal already had ${describeCount(inBoth, 'order')}.`] : []),
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
}

/** '500.00 USD per day of the account eu' */
const describeLimit = ({ kind, currency, amount, account }: CopiedLimit): string => {
  const approval = `${formatMoney(decimal(amount), currency)} for approvals`
  const limit = kind === 'approval' ? approval : formatBudget({ kind, currency, amount })
  return account === null ? limit : `${limit} of the account ${sanitize(account)}`
}
