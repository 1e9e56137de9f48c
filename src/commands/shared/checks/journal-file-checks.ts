// The checks of the journal in the file of this machine: its mode, its version, its content and its disk.
import { statSync } from 'node:fs'
import path from 'node:path'
import type { Context } from '../../../context.ts'
import { formatMode } from '../../../exposure.ts'
import { findNetworkDiskOf } from '../../../journal/location/check-location.ts'
import { findSecondPath, isKnownLocation } from '../../../journal/location/location.ts'
import { createRestoredFailure, readNotes } from '../../../journal/newest-call.ts'
import { type FileStatus, newestRows, readFileStatus } from '../../../journal/status/file.ts'
import { quoteShellWord } from '../../../text/shell-word.ts'
import { formatBytes } from '../../../ui/text/bytes.ts'
import { describeCount } from '../../../ui/text/counts.ts'
import { findNoteFolder, findStateFile, journalFile, stateFolderPath } from '../journal/state-folder.ts'
import { type Check, type Found, fromError, ok, problem, warning } from './check.ts'

/** `isWhole` checks every page, even if the file is large. */
export const listFileChecks = (context: Context, isWhole: boolean): readonly Check[] => {
  const group = 'Journal'
  const file = findStateFile(journalFile, context)
  if (file === undefined) return [{ group, name: 'File', find: describeMissing }]
  return [
    { group, name: 'File', find: (own) => [checkMode(own, file)] },
    { group, name: 'Content', find: (own) => checkContent(own, file, isWhole) },
    { group, name: 'Disk', find: (own) => [checkDisk(own, file)] },
  ]
}

const describeMissing = (context: Context): readonly Found[] => [
  ok(`${path.join(stateFolderPath(context), journalFile)} does not exist yet. Your first order creates it`),
]

const checkMode = ({ platform }: Context, file: string): Found => {
  const { mode } = statSync(file)
  if (platform === 'win32') return ok(file)
  const shown = `${file} (mode ${formatMode(mode)})`
  return (mode & 0o077) === 0
    ? ok(shown)
    : warning(`${shown}: other users can read or change it`, `chmod 600 ${quoteShellWord(file)}`)
}

const checkContent = (context: Context, file: string, isWhole: boolean): readonly Found[] => {
  const status = readFileStatus(file, { isWhole, notes: readNotes(findNoteFolder(context)) })
  if (status === undefined)
    return [
      warning(
        `not checked: a command was killed, and ${file}-wal has changes that are not in the file yet`,
        (suggest) => `Add them: ${suggest`list`}. Then run this command again.`,
      ),
    ]
  const { version, orders, batches, bytes } = status
  const counts = `${describeCount(orders, 'order')}, ${describeCount(batches, 'batch', 'batches')}, ${formatBytes(bytes)}`
  return [
    { ...ok(String(version)), name: 'Version' },
    { ...ok(counts, { file, version, orders, batches, bytes }), name: 'Orders' },
    judgeContent(file, status),
  ]
}

const judgeContent = (file: string, { damage, isWhole, bytes, lost }: FileStatus): Found => {
  if (damage.length > 0)
    return problem(
      `${file} is damaged: ${damage.join('; ')}`,
      (suggest) =>
        `Restore a backup. Until then, check each order before you order again: ${suggest`get ORDER`}`,
    )
  if (lost !== undefined) return fromError(createRestoredFailure(file, lost))
  const size = formatBytes(bytes)
  if (isWhole) return ok(`not damaged: checked all of ${size}`)
  const rows = newestRows.toLocaleString('en-US')
  return ok(`checked the newest ${rows} orders and calls of ${size}. To check all: orderctl doctor --full`)
}

const checkDisk = ({ platform }: Context, file: string): Found => {
  const refusal = findSecondPath(file)
  if (refusal !== undefined) return fromError(refusal)
  const network = findNetworkDiskOf(file, platform)
  if (network !== undefined)
    return problem(
      `the journal is on a network file system (${network}), where two commands could buy an order twice`,
      'Move its folder to a local disk, and set ORDERCTL_STATE_DIR to its new path.',
    )
  return ok(
    isKnownLocation(file)
      ? 'local, and its file locks work'
      : 'local. The next command that changes the journal tests its file locks',
  )
}
