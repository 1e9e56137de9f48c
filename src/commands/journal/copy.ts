// The steps of `orderctl journal copy`: takes the right to buy from the journal of this machine, and copies its orders into a
// shared journal.

import path from 'node:path'
import {
  chooseJournal,
  describeJournal,
  findJournalFile,
  journalsOf,
  type SharedPlace,
  stateFolderPath,
} from '../../app/journals.ts'
import type { Context } from '../../context.ts'
import { Failure } from '../../errors.ts'
import { type CopyResult, copyJournal, giveBack } from '../../journal/copy/copy-journal.ts'
import {
  beginHandover,
  createOtherTarget,
  type Pair,
  readHandovers,
  readId,
} from '../../journal/copy/handover.ts'
import { type Journal, journalFile } from '../../journal/journal.ts'
import { type Machine, openMachine } from '../../journal/machine/machine-file.ts'
import { adoptHandovers, noteHandovers } from '../../journal/machine/newest-call.ts'
import { isInFlight } from '../../operations/purchase-step.ts'
import type { Account } from '../../profiles/account.ts'
import { sanitize } from '../../ui/terminal/text.ts'
import { describeCount } from '../../ui/text/formats.ts'
import { fieldsOf, listOf, type ResultFields, readFields, renderJson } from '../../ui/text/result-fields.ts'
import { findAccount } from './run.ts'
import type { CopyOptions } from './spec.ts'

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

export const printCopy = ({ stdout }: Pick<Context, 'stdout'>, result: CopyResult): void => {
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
