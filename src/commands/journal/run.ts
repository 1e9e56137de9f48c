// orderctl journal status, migrate and backup: checks the journal of one profile, creates the tables of a shared journal, and
// copies the journal of this machine. journal copy takes the right to buy from the journal of this machine, and copies its orders
// into a shared journal. Then journal forget.

import { existsSync, statSync } from 'node:fs'
import path from 'node:path'
import { accountWithoutKey, findAccountWithoutKey } from '../../app/account.ts'
import { listJournalChecks, runChecks } from '../../app/checks.ts'
import {
  chooseJournal,
  describeJournal,
  findJournalFile,
  findStateExposure,
  journalsOf,
  openSharedDatabase,
  ownerOf,
  parseJournalAddress,
  type SharedPlace,
  stateFolderPath,
} from '../../app/journals.ts'
import { type StagedFile, stageFile } from '../../app/staged-file.ts'
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
import { type Journal, journalFile, machineFile } from '../../journal/journal.ts'
import { type Machine, schema as machineSchema, openMachine } from '../../journal/machine/machine-file.ts'
import {
  adoptHandovers,
  findForgettable,
  forgetJournals,
  noteHandovers,
} from '../../journal/machine/newest-call.ts'
import {
  createSharedTables,
  type Grantee,
  grantAccess,
  refuseUnknownRoles,
} from '../../journal/shared-journal.ts'
import { copyDatabase } from '../../journal/status.ts'
import { schema as journalSchema, versions } from '../../journal/tables/list.ts'
import { isInFlight } from '../../operations/purchase-step.ts'
import type { Account } from '../../profiles/account.ts'
import { quoteShellWord } from '../../text/suggest.ts'
import { sanitize } from '../../ui/terminal/text.ts'
import { describeCount, formatBytes, formatRelative } from '../../ui/text/formats.ts'
import { fieldsOf, listOf, type ResultFields, readFields, renderJson } from '../../ui/text/result-fields.ts'
import type { BackupOptions, CopyOptions, ForgetOptions, MigrateOptions, StatusOptions } from './spec.ts'

export const migratedFields = fieldsOf({
  journal: ['text', 'the shared journal'],
  created: ['flag', 'its tables were created now'],
  tablesVersion: ['count', 'the version of its tables'],
  granted: [listOf('text'), 'the roles of --grant'],
})

export const keptFields = fieldsOf({
  journal: ['text', 'the copy of the journal'],
  machineFile: ['text', 'the copy of the machine file'],
  bytes: ['count', 'the size of the copy of the journal'],
})

export const forgottenFields = fieldsOf({
  journal: ['text', 'the journal that was forgotten'],
  newestCallAt: ['time', 'when its newest call was sent'],
})

/** Returns the exit code. */
export const showStatus = async (context: Context, options: StatusOptions): Promise<number> => {
  const isJson = options.json
  const asks = canPrompt(context, options)
  const account = await findAccount(context, options.profile)
  const place = chooseJournal(context, account)
  // A wrong address is a usage error.
  if (place.kind === 'shared') parseJournalAddress(context, place.text)
  const checks = listJournalChecks([place], { asks, account: account && ownerOf(account).account })
  // A progress line would hide the prompt for the password.
  return runChecks(context, checks, { isJson, showsProgress: !isJson && !asks })
}

export const migrateJournal = async (context: Context, options: MigrateOptions): Promise<void> => {
  const { json, grant, grantLimits } = options
  const { stdout } = context
  const place = chooseJournal(context, await findAccount(context, options.profile))
  if (place.kind === 'file')
    throw new Failure('usage', 'journal migrate needs a shared journal, but this journal is a file', {
      advice: 'Set ORDERCTL_JOURNAL to the address of the shared journal.',
    })
  const address = parseJournalAddress(context, place.text).text
  const changing = new Set(grantLimits)
  const granted: readonly Grantee[] = [...new Set([...grant, ...grantLimits])].map((role) => ({
    role,
    changesLimits: changing.has(role),
  }))
  const postgres = await openSharedDatabase(context, place, canPrompt(context, options))
  let created: boolean
  try {
    await refuseUnknownRoles(postgres, granted)
    created = await createSharedTables(postgres, address)
    if (granted.length > 0) await grantAccess(postgres, granted)
  } finally {
    await postgres.close()
  }
  if (json) {
    const roles = granted.map(({ role }) => role)
    const migrated = { journal: address, created, tablesVersion: versions.postgres, granted: roles }
    stdout.write(renderJson(readFields(migratedFields, migrated)))
    return
  }
  stdout.write(`${created ? 'Created the journal' : 'There is already a journal in'} ${sanitize(address)}.\n`)
  for (const { role, changesLimits = false } of granted) {
    const more = changesLimits ? ', and change its limits' : ''
    stdout.write(`The role ${sanitize(role)} may use the journal${more}.\n`)
  }
}

export const backUpJournal = async (context: Context, options: BackupOptions): Promise<void> => {
  const { file: name, profile, json } = options
  const place = chooseJournal(context, await findAccount(context, profile))
  if (place.kind === 'shared') throw createSharedFailure(parseJournalAddress(context, place.text).text)
  const [journal, machine] = [journalFile, machineFile].map((each) =>
    path.join(stateFolderPath(context), each),
  ) as [string, string]
  if (!existsSync(journal))
    throw new Failure('local-state', `${journal} does not exist, so there is nothing to back up`)
  const target = context.absolute(name)
  const ofMachine = existsSync(machine) ? `${target}.machine` : undefined
  const stage = (file: string) => stageFile(context, file, { field: 'FILE' })
  const stagedJournal = stage(target)
  let stagedMachine: StagedFile | undefined
  try {
    stagedMachine = ofMachine === undefined ? undefined : stage(ofMachine)
    // A machine file that is copied later may know a call that the copy of the journal lacks.
    await stagedMachine?.keepCopy((copy) => copyDatabase(machine, machineSchema, copy))
    await stagedJournal.keepCopy((copy) => copyDatabase(journal, journalSchema, copy))
  } finally {
    stagedJournal.discard()
    stagedMachine?.discard()
  }
  const bytes = statSync(target).size
  const kept = { journal: target, machineFile: ofMachine, bytes }
  if (json) context.stdout.write(renderJson(readFields(keptFields, kept)))
  else {
    const more = ofMachine === undefined ? '' : ` The machine file is in ${sanitize(ofMachine)}.`
    context.stdout.write(`The journal was copied to ${sanitize(target)} (${formatBytes(bytes)}).${more}\n`)
  }
}

const createSharedFailure = (address: string): Failure =>
  new Failure('usage', `journal backup copies a file, but this journal is ${address}`, {
    fix: () => `pg_dump --format=custom --file=orders.dump ${quoteShellWord(address)}`,
    advice: 'Back up the database with the tools of PostgreSQL.',
  })

/** Undefined if there is none: the journal does not depend on it then. */
const findAccount = async (context: Context, profile: string | undefined): Promise<Account | undefined> => {
  if (profile !== undefined) return accountWithoutKey(context, profile)
  const account = await findAccountWithoutKey(context, profile)
  // ORDERCTL_JOURNAL counts before a profile is added, too.
  return account?.kind === 'sandbox' ? undefined : account
}

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
  if (all !== '') await askToForget(context, options, all)
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
const askToForget = async (
  context: Context,
  { yes, noInput }: ForgetOptions,
  journals: string,
): Promise<void> => {
  if (yes || !context.stdin.isTerminal) return
  if (!canPrompt(context, { noInput })) throw createPromptFailure('journal forget', 'forget')
  const question = `Forget ${journals}? Its saved outcomes are lost, and orders that the journal does not have can be bought again.`
  if (!(await context.askYesNo(question))) throw interruption(context.interrupted, 'nothing was forgotten')
}
