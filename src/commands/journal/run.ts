// orderctl journal status, migrate and backup: checks the journal of one profile, creates the tables of a shared journal, and
// copies the journal of this machine.

import { existsSync, statSync } from 'node:fs'
import path from 'node:path'
import { accountWithoutKey, findAccountWithoutKey } from '../../app/account.ts'
import { listJournalChecks, runChecks } from '../../app/checks.ts'
import {
  chooseJournal,
  openSharedDatabase,
  ownerOf,
  parseJournalAddress,
  stateFolderPath,
} from '../../app/journals.ts'
import { type StagedFile, stageFile } from '../../app/staged-file.ts'
import { canPrompt } from '../../app/terminal.ts'
import type { Context } from '../../context.ts'
import { Failure } from '../../errors.ts'
import { journalFile, machineFile } from '../../journal/journal.ts'
import { schema as machineSchema } from '../../journal/machine/machine-file.ts'
import {
  createSharedTables,
  type Grantee,
  grantAccess,
  refuseUnknownRoles,
} from '../../journal/shared-journal.ts'
import { copyDatabase } from '../../journal/status.ts'
import { schema as journalSchema, versions } from '../../journal/tables/list.ts'
import type { Account } from '../../profiles/account.ts'
import { quoteShellWord } from '../../text/suggest.ts'
import { sanitize } from '../../ui/terminal/text.ts'
import { formatBytes } from '../../ui/text/formats.ts'
import { fieldsOf, listOf, readFields, renderJson } from '../../ui/text/result-fields.ts'
import type { BackupOptions, MigrateOptions, StatusOptions } from './spec.ts'

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
  const checks = listJournalChecks([place], {
    asks,
    account: account && ownerOf(account).account,
  })
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
export const findAccount = async (
  context: Context,
  profile: string | undefined,
): Promise<Account | undefined> => {
  if (profile !== undefined) return accountWithoutKey(context, profile)
  const account = await findAccountWithoutKey(context, profile)
  // ORDERCTL_JOURNAL counts before a profile is added, too.
  return account?.kind === 'sandbox' ? undefined : account
}
