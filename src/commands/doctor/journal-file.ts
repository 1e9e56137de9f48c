// The checks of the journal in the file of this machine: its mode, its disk, its version, and whether it is damaged.
import { statSync } from 'node:fs'
import type { Context } from '../../context.ts'
import { findNetworkDiskOf } from '../../journal/location/check-location.ts'
import { findSecondPath, isKnownLocation } from '../../journal/location/location.ts'
import { createRestoredFailure, readNotes } from '../../journal/newest-call.ts'
import { createSpool } from '../../journal/spool/spool.ts'
import { checkFile, type FileCheck, newestRows } from '../../journal/status/file.ts'
import { quoteShellWord } from '../../text/shell-word.ts'
import type { Check } from '../../ui/screens/doctor.ts'
import { formatBytes } from '../../ui/text/bytes.ts'
import {
  findNoteFolder,
  findSpoolFolder,
  findStateFile,
  journalFile,
} from '../shared/journal/state-folder.ts'
import { attempt, fromError, ok, problem, warning } from './check.ts'
import { formatMode } from './folders.ts'

type Options = { readonly isWhole: boolean }

export type JournalFileCheck = {
  readonly checks: readonly Check[]
  /** Undefined if there is no journal, or if it cannot be read. */
  readonly found?: FileCheck
}

export const checkJournalFile = (context: Context, options: Options): JournalFileCheck => {
  const file = findStateFile(journalFile, context)
  const outcomes = attempt('Outcomes', () => checkOutcomes(context))
  if (file === undefined) return { checks: [...describeMissing(context), ...outcomes] }
  let found: FileCheck | undefined
  const content = attempt('Content', () => {
    found = checkFile(file, { ...options, notes: readNotes(findNoteFolder(context)) })
    return found === undefined ? [notChecked(file)] : describeContent(file, found)
  })
  const checks = [
    ...attempt('File', () => [checkMode(context, file)]),
    ...content,
    ...attempt('Disk', () => [checkDisk(context, file)]),
    ...outcomes,
  ]
  return { checks, ...(found === undefined ? {} : { found }) }
}

/** Without a folder, the check of the folders says why. */
const describeMissing = (context: Context): readonly Check[] =>
  findSpoolFolder(context) === undefined ? [] : [ok('File', 'no journal yet: your first order creates it')]

const checkMode = ({ platform }: Context, file: string): Check => {
  const { mode } = statSync(file)
  if (platform === 'win32') return ok('File', file)
  const shown = `${file} (mode ${formatMode(mode)})`
  return (mode & 0o077) === 0
    ? ok('File', shown)
    : warning('File', `${shown}: other users can read or change it`, `chmod 600 ${quoteShellWord(file)}`)
}

const notChecked = (file: string): Check =>
  warning(
    'Content',
    `not checked: a command was killed, and ${file}-wal has changes that are not in the file yet`,
    'orderctl list, which adds them. Then run orderctl doctor again.',
  )

const describeContent = (
  file: string,
  { version, damage, isWhole, bytes, lost }: FileCheck,
): readonly Check[] => {
  const size = formatBytes(bytes)
  if (damage.length > 0)
    return [
      problem(
        'Content',
        `${file} is damaged: ${damage.join('; ')}`,
        'Restore a backup. Until then, check each order with orderctl get before you order again.',
      ),
    ]
  if (lost !== undefined) return [fromError('Content', createRestoredFailure(file, lost))]
  const checked = isWhole
    ? `not damaged: checked all of ${size}`
    : `checked the newest ${newestRows.toLocaleString('en-US')} orders and calls of ${size}. To check all: orderctl doctor --full`
  return [ok('Version', String(version)), ok('Content', checked)]
}

const checkDisk = ({ platform }: Context, file: string): Check => {
  const refusal = findSecondPath(file)
  if (refusal !== undefined) return fromError('Disk', refusal)
  const network = findNetworkDiskOf(file, platform)
  if (network !== undefined)
    return problem(
      'Disk',
      `the journal is on a network file system (${network}), where two commands could buy an order twice`,
      'Move its folder to a local disk, and set ORDERCTL_STATE_DIR to its new path.',
    )
  return ok(
    'Disk',
    isKnownLocation(file)
      ? 'local, and its file locks work'
      : 'local. The next command that changes the journal tests its file locks',
  )
}

/** The outcomes that this machine has not written to a shared journal yet. */
const checkOutcomes = (context: Context): readonly Check[] => {
  const folder = findSpoolFolder(context)
  return (folder === undefined ? [] : createSpool(folder).list()).map(({ path, outcome, problem: reason }) =>
    outcome === undefined
      ? problem(
          'Outcome',
          `${path} ${reason ?? 'is damaged'}`,
          'Run orderctl reconcile, then delete the file.',
        )
      : warning(
          'Outcome',
          `the ${outcome.operation} of ${outcome.name} is not yet in ${outcome.address}`,
          'orderctl reconcile',
        ),
  )
}
