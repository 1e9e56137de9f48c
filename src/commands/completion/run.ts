// orderctl completion: prints the script of a shell, or installs it.
import { appendFileSync } from 'node:fs'
import path from 'node:path'
import {
  findCompletionFiles,
  readIfExists,
  readScript,
  type Shell,
  shells,
} from '../../app/completion-files.ts'
import { canPrompt, writeNote } from '../../app/terminal.ts'
import type { Program } from '../../cli/spec.ts'
import type { Context } from '../../context.ts'
import { Failure, interruption } from '../../errors.ts'
import { findExposure, refuseExposure } from '../../exposure.ts'
import { getErrorReason, makeFolder, writeDurably } from '../../files.ts'
import { findNearest } from '../../text/words.ts'
import { sanitize } from '../../ui/terminal/text.ts'
import { fieldsOf, readFields, renderJson } from '../../ui/text/result-fields.ts'
import type { CompletionOptions, InstallOptions } from './spec.ts'

export const scriptFields = fieldsOf({ shell: ['text', 'the shell'], script: ['text', 'the script'] })

export const installedFields = fieldsOf({
  shell: ['text', 'the shell'],
  file: ['text', 'the file of the script'],
  startupFile: ['text', 'the startup file that loads it'],
  changed: ['flag', 'a file was changed'],
})

/** Without a shell, prints the help. */
export const printCompletion = (
  { stdout }: Context,
  { shell, json }: CompletionOptions,
  program: Program,
): void => {
  if (shell === undefined) return void program.printHelp()
  const script = readScript(requireShell(shell, ['install', ...shells]))
  stdout.write(json ? renderJson(readFields(scriptFields, { shell, script })) : script)
}

/** A wrong name may be a typing error of one of `near`. */
const requireShell = (name: string, near: readonly string[] = shells): Shell => {
  const shell = shells.find((each) => each === (name === 'pwsh' ? 'powershell' : name))
  if (shell !== undefined) return shell
  const [nearest, ...others] = findNearest(name, near)
  const hint = nearest === undefined || others.length > 0 ? '' : `Did you mean ${nearest}? `
  const problem = name === '' ? 'no shell was given' : `orderctl has no completion for '${sanitize(name)}'`
  throw new Failure('usage', problem, { advice: `${hint}Shells: ${shells.join(', ')}` })
}

/** Adds the line that loads the script to the shell's startup file. A second run updates only the script. */
export const installCompletion = async (context: Context, options: InstallOptions): Promise<void> => {
  const { stdout, stderr, home = '', environment, interrupted } = context
  const usual = path.basename(environment.SHELL ?? '')
  const shell = options.shell === undefined ? requireShell(usual, []) : requireShell(options.shell)
  const { script, text, profile, line } = requireFiles(context, shell)
  // Root would write through the links of that user.
  refuseExposure('the home folder', findExposure(home, { names: [], variable: 'HOME' }))
  const found = readFile(script)
  const isOurs = found?.split('\n', 2).some((each) => each.startsWith('# orderctl: completion'))
  if (isOurs === false)
    throw new Failure('local-state', `${sanitize(script)} is not a completion script of orderctl`, {
      fix: (suggest) => suggest`completion ${shell}`,
      advice: 'Move the file away, or only print the script.',
      field: script,
    })
  const writes = found !== text
  const adds = profile !== undefined && !readFile(profile)?.split(/\r?\n/).includes(line)
  const changes = [
    ...(writes ? [`write ${script}`] : []),
    ...(adds ? [`add this line to ${profile}: ${line}`] : []),
  ]
  const asks = changes.length > 0 && !options.yes && canPrompt(context, options)
  const announce = (text: string): void => (asks ? stderr.write(text) : writeNote(context, text))
  for (const change of changes) announce(`orderctl will ${sanitize(change)}\n`)
  if (asks && !(await context.askYesNo('Continue?')))
    throw interruption(interrupted, 'cancelled; nothing was changed')
  if (writes)
    attempt(script, () => {
      makeFolder(path.dirname(script))
      writeDurably(script, Buffer.from(text))
    })
  if (adds) {
    // The startup file may be managed by another tool, and then it is read-only.
    const advice = `Add this line to the file yourself: ${sanitize(line)}`
    const append = (): void => {
      makeFolder(path.dirname(profile))
      const before = readIfExists(profile) ?? ''
      appendFileSync(profile, `${before === '' || before.endsWith('\n') ? '' : '\n'}${line}\n`)
    }
    attempt(profile, append, advice)
  }
  const changed = changes.length > 0
  const installed = { shell, file: script, startupFile: profile, changed }
  if (options.json) stdout.write(renderJson(readFields(installedFields, installed)))
  const state = changed ? 'installed' : 'already installed'
  writeNote(context, `Completion for ${shell} is ${state}. Open a new shell to use it.\n`)
}

const requireFiles = (context: Context, shell: Shell) => {
  const files = findCompletionFiles(context, shell)
  if (files !== undefined) return files
  throw new Failure('local-state', 'there is no home folder to install the completion in', {
    fix: (suggest) => suggest`completion ${shell}`,
  })
}

const readFile = (file: string): string | undefined => attempt(file, () => readIfExists(file))

const attempt = <Result>(
  file: string,
  work: () => Result,
  advice = 'Check its permissions. To print the script instead, use completion with the name of the shell.',
): Result => {
  try {
    return work()
  } catch (error) {
    throw new Failure('local-state', `cannot use ${sanitize(file)}: ${getErrorReason(error)}`, {
      advice,
      field: file,
      cause: error,
    })
  }
}
