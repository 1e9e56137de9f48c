// The steps of `orderctl journal backup`.
import { existsSync, statSync } from 'node:fs'
import path from 'node:path'
import { chooseJournal, parseJournalAddress, stateFolderPath } from '../../app/journal/place.ts'
import { type StagedFile, stageFile } from '../../app/staged-file.ts'
import type { Context } from '../../context.ts'
import { Failure } from '../../errors.ts'
import { journalFile, machineFile } from '../../journal/journal.ts'
import { schema as machineSchema } from '../../journal/machine/machine-file.ts'
import { copyDatabase } from '../../journal/status.ts'
import { schema as journalSchema } from '../../journal/tables/list.ts'
import { quoteShellWord } from '../../text/suggest.ts'
import { sanitize } from '../../ui/terminal/text.ts'
import { formatBytes } from '../../ui/text/formats.ts'
import { renderJson } from '../../ui/text/json.ts'
import { readFields } from '../../ui/text/result-fields.ts'
import { findAccount, keptFields } from './run.ts'
import type { BackupOptions } from './spec.ts'

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
