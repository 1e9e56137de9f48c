// orderctl completion: prints the script of a shell, installs it, or prints the commands that remove it.
import { appendFileSync, realpathSync } from 'node:fs'
import path from 'node:path'
import {
  type CompletionFiles,
  findCompletionFiles,
  isCompletionScript,
  quoteFor,
  readIfExists,
  type Shell,
  scriptOf,
  shells,
} from '../../app/completion-files.ts'
import { canPrompt, writeNote } from '../../app/notes.ts'
import type { Program } from '../../cli/spec.ts'
import type { Context } from '../../context.ts'
import { Failure, interruption } from '../../errors.ts'
import { findExposure } from '../../exposure.ts'
import { getErrorReason, makeFolder, writeDurably } from '../../files.ts'
import { findNearest } from '../../text/nearest-words.ts'
import { sanitize } from '../../ui/terminal/sanitize.ts'
import { renderJson } from '../../ui/text/json.ts'
import type { CompletionOptions, InstallOptions, UninstallOptions } from './spec.ts'

/** Without a shell, prints the help. */
export const printCompletion = (
  { stdout }: Context,
  { shell, json }: CompletionOptions,
  program: Program,
): void => {
  if (shell === undefined) program.printHelp()
  else {
    const { text } = scriptOf(requireShell(shell, ['install', 'uninstall', ...shells]))
    stdout.write(json ? renderJson({ shell, script: text }) : text)
  }
}

/** A wrong name may be a typing error of one of `near`. */
const requireShell = (name: string, near: readonly string[] = shells): Shell => {
  const shell = shells.find((each) => each === name)
  if (shell !== undefined) return shell
  const [nearest, ...others] = findNearest(name, near)
  const hint = nearest === undefined || others.length > 0 ? '' : `Did you mean ${nearest}? `
  throw new Failure('usage', `orderctl has no completion for '${name}'`, {
    advice: `${hint}Shells: ${shells.join(', ')}`,
  })
}

/** Adds the line that loads the script to the shell's startup file. A second run updates only the script. */
export const installCompletion = async (context: Context, options: InstallOptions): Promise<void> => {
  const { stdout, stderr, home = '', interrupted } = context
  const shell = options.shell === undefined ? findDefaultShell(context) : requireShell(options.shell)
  const { script, text, profile, line, next } = requireFiles(context, shell)
  // Root would write through the links of that user.
  const exposure = findExposure(home, { names: [], variable: 'HOME' })
  if (exposure !== undefined) {
    const { reason, ...remedy } = exposure
    throw new Failure('local-state', reason, { ...remedy, field: home })
  }
  const found = readFile(script)
  if (found !== undefined && !isCompletionScript(found))
    throw new Failure('local-state', `${sanitize(script)} is not a completion script of orderctl`, {
      fix: (suggest) => suggest`completion ${shell}`,
      advice: 'Move the file away, or only print the script.',
      field: script,
    })
  const writes = found !== text
  const adds = profile !== undefined && !readFile(profile)?.split(/\r?\n/).includes(line)
  const asks = (writes || adds) && !options.yes && canPrompt(context, options)
  const announce = (text: string): void => (asks ? stderr.write(text) : writeNote(context, text))
  if (writes) announce(`orderctl will ${sanitize(`write ${script}`)}\n`)
  if (adds) announce(`orderctl will ${sanitize(`add this line to ${profile}: ${line}`)}\n`)
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
    attempt(profile, () => appendLine(profile, line), advice)
  }
  if (options.json)
    stdout.write(renderJson({ shell, script, profile: profile ?? null, changed: writes || adds }))
  writeNote(context, `Completion for ${shell} is ${writes || adds ? '' : 'already '}installed.\n`)
  writeNote(context, `Open a new ${shell}, or run: ${sanitize(next)}\n`)
}

const findDefaultShell = ({ environment }: Context): Shell => {
  const name = path.basename(environment.SHELL ?? '')
  const shell = shells.find((each) => each === (name === 'pwsh' ? 'powershell' : name))
  if (shell !== undefined) return shell
  const problem = name === '' ? 'SHELL is not set' : `orderctl has no completion for '${sanitize(name)}'`
  throw new Failure('usage', problem, { advice: `Name one of ${shells.join(', ')}.` })
}

const requireFiles = (context: Context, shell: Shell): CompletionFiles => {
  const files = findCompletionFiles(context, shell)
  if (files !== undefined) return files
  throw new Failure('local-state', 'there is no home folder to install the completion in', {
    fix: (suggest) => suggest`completion ${shell}`,
  })
}

const readFile = (file: string): string | undefined => attempt(file, () => readIfExists(file))

const appendLine = (file: string, line: string): void => {
  makeFolder(path.dirname(file))
  const found = readIfExists(file) ?? ''
  appendFileSync(file, `${found === '' || found.endsWith('\n') ? '' : '\n'}${line}\n`)
}

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

export const printRemoval = (context: Context, { shell: named, json }: UninstallOptions): void => {
  const chosen = named === undefined ? shells : [requireShell(named)]
  const commands = chosen.flatMap((shell) => listRemoval(requireFiles(context, shell)))
  const lines = commands.map((command) => `${command}\n`).join('')
  context.stdout.write(json ? renderJson({ commands }) : lines)
  const advice = 'orderctl removed nothing. Type these commands, then open a new shell.'
  writeNote(context, `${commands.length === 0 ? 'No completion is installed.' : advice}\n`)
}

const listRemoval = ({ shell, script, profile }: CompletionFiles): readonly string[] => {
  const isPowershell = shell === 'powershell'
  const commands: string[] = []
  if (readFile(script) !== undefined)
    commands.push(`${isPowershell ? 'Remove-Item' : 'rm'} ${quoteFor(shell, script)}`)
  // The end of the path is the same in every home, and has no character that a shell quotes.
  const end = `/orderctl/${path.basename(script)}`
  if (profile === undefined || !readFile(profile)?.includes(end)) return commands
  // sed replaces a link by a file, so it gets the file behind the link.
  const file = quoteFor(shell, realpathSync(profile))
  const pattern = end.replace('.', '[.]')
  const remove = isPowershell
    ? `@(Get-Content ${file}) -notmatch '${pattern}' | Set-Content ${file}`
    : `sed -i.bak '\\#${pattern}#d' ${file}`
  return [...commands, remove]
}
