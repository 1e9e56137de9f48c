// The steps of `orderctl journal copy`: takes the right to buy from the journal of this machine, and copies its orders into a
// shared journal. Then those of `journal forget`.

import path from 'node:path'
import {
  chooseJournal,
  describeJournal,
  findJournalFile,
  findStateExposure,
  journalsOf,
  ownerOf,
  type SharedPlace,
  stateFolderPath,
} from '../../app/journals.ts'
import { canPrompt, createPromptFailure } from '../../app/terminal.ts'
import type { Context } from '../../context.ts'
import { isSameAccount } from '../../contract/account-id.ts'
import { Failure, interruption } from '../../errors.ts'
import { refuseExposure } from '../../exposure.ts'
import { type CopyResult, copyJournal, giveBack } from '../../journal/copy/copy-journal.ts'
import {
  beginHandover,
  createOtherTarget,
  forgetHandovers,
  type Pair,
  readHandovers,
  readId,
} from '../../journal/copy/handover.ts'
import { type Journal, journalFile } from '../../journal/journal.ts'
import { type Machine, openMachine } from '../../journal/machine/machine-file.ts'
import {
  adoptHandovers,
  findForgettable,
  forgetJournals,
  noteHandovers,
} from '../../journal/machine/newest-call.ts'
import { isInFlight } from '../../operations/purchase-step.ts'
import type { Account } from '../../profiles/account.ts'
import { sanitize } from '../../ui/terminal/text.ts'
import { describeCount, formatRelative } from '../../ui/text/formats.ts'
import { renderJson } from '../../ui/text/json.ts'
import { fieldsOf, listOf, type ResultFields, readFields } from '../../ui/text/result-fields.ts'
import { findAccount, forgottenFields } from './run.ts'
import type { CopyOptions, ForgetOptions } from './spec.ts'

export const copyFile = async (context: Context, options: CopyOptions): Promise<void> => {
  const account = await findAccount(context, options.profile)
  const folder = stateFolderPath(context)
  const file = path.join(folder, journalFile)
  if (findJournalFile(context) === undefined)
    throw new Failure('local-state', `${file} does not exist, so there is nothing to copy`)
  await using journals = journalsOf(context, undefined, { place: { kind: 'file' } })
  const source = await journals.openOrCreate()
  if (source.conflict !== undefined) throw source.conflict
  using machine = openMachine(folder)
  const place = await choosePlace(context, account, source)
  await using targets = journalsOf(context, undefined, { ...options, place })
  const pair = { file, source, target: await targets.openOrCreate() }
  if (options.undo) return await undoCopy(context, pair, machine, options.json)
  const now = context.clock.now()
  await beginHandover(pair, {
    place: describeJournal(context, place).name,
    isInFlight: (call) => isInFlight(call, now),
  })
  await noteHandovers(machine, source)
  const result = await copyJournal(pair).catch(async (error) => {
    await noteHandovers(machine, source)
    throw error
  })
  await adoptHandovers(machine, pair)
  if (options.json) context.stdout.write(renderJson(readFields(copiedFields, result)))
  else printCopy(context, result)
}

const undoCopy = async ({ stdout }: Context, pair: Pair, machine: Machine, json: boolean) => {
  const undone = await giveBack(pair)
  await noteHandovers(machine, pair.source)
  const [left] = await readHandovers(pair.source.read)
  if (left !== undefined)
    throw left.target === (await readId(pair.target.read))
      ? createCopiedFailure(pair.file, left.place)
      : createOtherTarget(left.place)
  if (json) stdout.write(renderJson(readFields(undoneFields, { undone })))
  else
    stdout.write(
      undone ? `This machine buys with ${sanitize(pair.file)} again.\n` : 'There is no copy to undo.\n',
    )
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

const createCopiedFailure = (file: string, place: string): Failure =>
  new Failure('other-journal', `${place} has the orders of ${file}, so the copy cannot be undone`, {
    fix: (suggest) => suggest`journal copy`,
  })

const renamedFields = fieldsOf({ from: ['text', 'its name before'], to: ['text', 'its new name'] })

export const copiedFields: ResultFields<CopyResult> = [
  ['copiedBefore', 'flag', 'the shared journal had them already', ({ copiedBefore }) => copiedBefore],
  ['orderCount', 'count', 'orders that were copied', ({ orders }) => orders],
  ['inBothCount', 'count', 'orders that the shared journal had', ({ inBoth }) => inBoth],
  ['batchCount', 'count', 'batches that were copied', ({ batches }) => batches],
  ['revealCount', 'count', 'reveals that were copied', ({ reveals }) => reveals],
  ['limitCount', 'count', 'limits that were copied', ({ limits }) => limits],
  ['renamed', listOf(renamedFields), 'batches that got a new name', ({ renamed }) => renamed],
]

export const undoneFields = fieldsOf({ undone: ['flag', 'this machine buys with its journal again'] })

const printCopy = ({ stdout }: Pick<Context, 'stdout'>, result: CopyResult): void => {
  const { orders, inBoth, batches, reveals, limits, copiedBefore, renamed } = result
  const counts = [
    describeCount(orders, 'order'),
    describeCount(batches, 'batch', 'batches'),
    describeCount(reveals, 'reveal'),
  ]
  const lines = [
    copiedBefore
      ? 'The shared journal already has the orders of this file.'
      : `Copied ${counts.join(', ')} and ${describeCount(limits, 'limit')}.`,
    ...(inBoth > 0 ? [`The shared journal already had ${describeCount(inBoth, 'order')}.`] : []),
    ...renamed.map(
      ({ from, to }) =>
        `The batch ${sanitize(from)} is now named ${sanitize(to)}, because another batch has its name.`,
    ),
  ]
  stdout.write(lines.map((line) => `${line}\n`).join(''))
}

export const forgetJournal = async (context: Context, options: ForgetOptions): Promise<void> => {
  const account = await findAccount(context, options.profile)
  const { place } = describeJournal(context, chooseJournal(context, account))
  const folder = stateFolderPath(context)
  refuseExposure('the machine file', findStateExposure(context))
  using machine = openMachine(folder)
  const id = account && ownerOf(account).account
  const journals = findForgettable({ machine, account: id, place })
  await using own = journalsOf(context, undefined, { place: { kind: 'file' } })
  const file = await own.openExisting()
  const handovers = place === undefined ? await readHandovers(file.read) : []
  const ended = handovers.filter((each) => id === undefined || isSameAccount(each.account, id))
  const [handover] = ended
  if (handover !== undefined && !options.reason?.trim()) throw createReasonFailure(handover.place)
  const forgotten = journals.map((each) => ({
    journal: each.place ?? path.join(folder, journalFile),
    newestCallAt: each.newest.startedAt,
  }))
  const now = context.clock.now()
  const all = [
    ...forgotten.map(
      (each) => `${sanitize(each.journal)} (newest call ${formatRelative(each.newestCallAt, now)})`,
    ),
    ...(handover === undefined ? [] : [`the copy to ${sanitize(handover.place)}`]),
  ].join(' and ')
  if (all !== '') await requireConsent(context, options, all)
  if (handover !== undefined) {
    await forgetHandovers(file, ended, options.reason ?? '')
    await noteHandovers(machine, file)
  }
  await forgetJournals(machine, journals)
  if (options.json)
    context.stdout.write(renderJson(forgotten.map((each) => readFields(forgottenFields, each))))
  else
    context.stdout.write(all === '' ? 'This machine knows no journal of this account.\n' : `Forgot ${all}.\n`)
}

const createReasonFailure = (place: string): Failure =>
  new Failure(
    'usage',
    `journal forget needs --reason, because the orders of this journal were copied, or are being copied, to ${place}`,
    {
      field: '--reason',
      advice:
        'Say why the shared journal cannot be used. This machine does not know its orders, and can buy them again.',
    },
  )

/** In a script, the command itself is the consent. */
const requireConsent = async (
  context: Context,
  { yes, noInput }: ForgetOptions,
  journals: string,
): Promise<void> => {
  if (yes || !context.stdin.isTerminal) return
  if (!canPrompt(context, { noInput })) throw createPromptFailure('journal forget', 'forget')
  const question = `Forget ${journals}? Its saved outcomes are lost, and orders that the journal does not have can be bought again.`
  if (!(await context.askYesNo(question))) throw interruption(context.interrupted, 'nothing was forgotten')
}
