// orderctl completion uninstall: removes the scripts, and the lines that load them, as `completion install` wrote them.
import { rmdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import { shells } from '../../completion-scripts.ts'
import type { Context } from '../../context.ts'
import { Failure } from '../../errors.ts'
import { getErrorReason } from '../../files.ts'
import { quoteShellWord } from '../../text/shell-word.ts'
import { sanitize } from '../../ui/terminal/sanitize.ts'
import { renderJson } from '../../ui/text/json.ts'
import {
  type CompletionFiles,
  findCompletionFiles,
  findLoadLines,
  isCompletionScript,
  readIfExists,
} from '../shared/completion-files.ts'
import type { UninstallFlags } from './flags.ts'
import { knownShell } from './run.ts'
import { removeLine } from './startup-file.ts'

type Change = { readonly file: string; readonly done: 'removed' | 'line removed' }
type Kept = { readonly file: string; readonly reason: string; readonly fix: string }
type Result = { readonly changes: Change[]; readonly kept: Kept[]; readonly failures: Failure[] }

/** Returns the exit code. */
export const uninstallCompletion = (
  context: Context,
  named: string | undefined,
  { json }: UninstallFlags,
): number => {
  const chosen = named === undefined ? shells : [knownShell(named, 'completion uninstall')]
  const result: Result = { changes: [], kept: [], failures: [] }
  for (const shell of chosen) {
    const files = findCompletionFiles(context, shell)
    if (files === undefined) {
      throw new Failure('local-state', 'there is no home folder, so orderctl cannot find the completion', {
        fix: 'Set HOME to your home folder.',
      })
    }
    // The line first: without it, a script that cannot be removed is not loaded any more.
    attempt(result, files.profile, (profile) => removeLines(profile, files, result))
    attempt(result, files.script, (script) => removeScript(script, files, result))
  }
  report(context, result, json === true)
  const [failure] = result.failures
  if (failure !== undefined) throw failure
  return 0
}

/** A file that cannot be changed does not stop the work on the other files. */
const attempt = ({ failures }: Result, file: string | undefined, work: (file: string) => void): void => {
  if (file === undefined) return
  try {
    work(file)
  } catch (error) {
    failures.push(
      new Failure('local-state', `cannot change ${sanitize(file)}: ${getErrorReason(error)}`, {
        fix: 'Check its permissions, then run the command again.',
        field: file,
        cause: error,
      }),
    )
  }
}

const removeScript = (script: string, { text }: CompletionFiles, { changes, kept }: Result): void => {
  const found = readIfExists(script)
  if (found === undefined) return
  if (found !== text) {
    const what = isCompletionScript(found)
      ? 'differs from the script of this version: it was edited, or another version wrote it'
      : 'is not a completion script of orderctl'
    kept.push({ file: script, reason: what, fix: `To remove it: rm ${quoteShellWord(script)}` })
    return
  }
  rmSync(script)
  changes.push({ file: script, done: 'removed' })
  removeOwnFolder(path.dirname(script))
}

/** The folder of fish belongs to fish. */
const removeOwnFolder = (folder: string): void => {
  if (path.basename(folder) !== 'orderctl') return
  try {
    rmdirSync(folder)
  } catch {
    // It has the script of another shell.
  }
}

const removeLines = (profile: string, files: CompletionFiles, { changes, kept }: Result): void => {
  const text = readIfExists(profile)
  if (text === undefined) return
  const { own, others } = findLoadLines(text, files)
  if (own.length > 0) {
    removeLine(profile, files.line)
    changes.push({ file: profile, done: 'line removed' })
  }
  if (others.length > 0) {
    const numbers = others.map((number) => number - own.filter((each) => each < number).length).join(', ')
    kept.push({
      file: profile,
      reason: `mentions ${files.script} in ${others.length === 1 ? 'a line' : 'lines'} that orderctl did not write: line ${numbers}`,
      fix: 'Remove it with an editor.',
    })
  }
}

const report = ({ stdout, stderr }: Context, { changes, kept, failures }: Result, json: boolean): void => {
  if (json) {
    if (failures.length === 0) stdout.write(renderJson({ changes, kept }))
    return
  }
  for (const { file, done } of changes) {
    stderr.write(
      `${done === 'removed' ? 'Removed' : 'Removed the line of orderctl from'} ${sanitize(file)}\n`,
    )
  }
  for (const { file, reason, fix } of kept) {
    stderr.write(`warning: ${sanitize(file)} ${sanitize(reason)}. orderctl left it. ${sanitize(fix)}\n`)
  }
  if (changes.length > 0) stderr.write('Open shells keep the completion until you close them.\n')
  else if (kept.length === 0 && failures.length === 0) stderr.write('No completion is installed.\n')
}
