// orderctl completion install: writes the script to its own file, and adds the line that loads it to the shell's
// startup file. A second run updates only the script.
import { appendFileSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { type Shell, scriptOf, shells } from '../../completion-scripts.ts'
import type { Context } from '../../context.ts'
import { Failure } from '../../errors.ts'
import { getErrorReason, makeFolder } from '../../files.ts'
import { interruption } from '../../operations/read.ts'
import { quoteShellWord } from '../../text/shell-word.ts'
import { sanitize } from '../../ui/terminal/sanitize.ts'
import { canPrompt } from '../shared/session.ts'
import type { InstallFlags } from './flags.ts'
import { knownShell } from './run.ts'

type Target = {
  readonly script: string
  /** The startup file that loads the script. fish loads it without one. */
  readonly profile?: string
  /** The command that loads the script in an open shell. */
  readonly next: string
}

export const installCompletion = async (
  context: Context,
  named: string | undefined,
  flags: InstallFlags,
): Promise<number> => {
  const shell = named === undefined ? findDefaultShell(context) : knownShell(named, 'completion install')
  const { text, file } = scriptOf(shell)
  const { script, profile, next } = findTarget(context, shell, file)
  const writes = readIfExists(script) !== text
  if (writes) refuseForeign(script, shell)
  const line = formatLoadLine(shell, script)
  const adds = profile !== undefined && !readIfExists(profile)?.split(/\r?\n/).includes(line)
  const changes = [
    ...(writes ? [`write ${script}`] : []),
    ...(adds ? [`add this line to ${profile}: ${line}`] : []),
  ]
  const { stderr } = context
  if (changes.length > 0) {
    stderr.write(changes.map((change) => `orderctl will ${sanitize(change)}\n`).join(''))
    if (flags.yes !== true && canPrompt(context, flags) && !(await context.confirm('Continue?'))) {
      throw interruption(context.interrupted, 'cancelled; nothing was changed')
    }
    if (writes) attempt(script, () => replace(script, text))
    if (adds) {
      // The startup file may be managed by another tool, and then it is read-only.
      attempt(profile, () => append(profile, line), `Add this line to the file yourself: ${sanitize(line)}`)
    }
  }
  stderr.write(
    changes.length > 0
      ? `Completion for ${shell} is installed.\n`
      : `Completion for ${shell} is already installed.\n`,
  )
  stderr.write(`Open a new ${shell}, or run: ${sanitize(next)}\n`)
  return 0
}

const findDefaultShell = ({ environment }: Context): Shell => {
  const name = path.basename(environment.SHELL ?? '')
  const shell = shells.find((each) => each === (name === 'pwsh' ? 'powershell' : name))
  if (shell !== undefined) return shell
  throw new Failure(
    'usage',
    name === '' ? 'SHELL is not set' : `orderctl has no completion for ${sanitize(name)}`,
    {
      fix: `orderctl completion install ${shells.join('|')}`,
    },
  )
}

const findTarget = ({ environment, platform, home }: Context, shell: Shell, file: string): Target => {
  if (home === undefined || !path.isAbsolute(home)) {
    throw new Failure('local-state', 'there is no home folder to install the completion in', {
      fix: `Print the script: orderctl completion ${shell}`,
    })
  }
  // The XDG specification says to ignore relative paths.
  const folder = (name: string, ...otherwise: string[]): string => {
    const given = environment[name] ?? ''
    return path.isAbsolute(given) ? given : path.join(home, ...otherwise)
  }
  const config = folder('XDG_CONFIG_HOME', '.config')
  if (shell === 'fish') {
    const script = path.join(config, 'fish', 'completions', file)
    return { script, next: `source ${quoteFor(script)}` }
  }
  const script = path.join(folder('XDG_DATA_HOME', '.local', 'share'), 'orderctl', file)
  const next = `${shell === 'powershell' ? '.' : 'source'} ${quoteFor(script, shell)}`
  switch (shell) {
    case 'bash':
      // Terminals on macOS open login shells, which do not read .bashrc.
      return { script, profile: path.join(home, platform === 'darwin' ? '.bash_profile' : '.bashrc'), next }
    case 'zsh':
      return { script, profile: path.join(folder('ZDOTDIR'), '.zshrc'), next }
    case 'powershell':
      return {
        script,
        profile:
          platform === 'win32'
            ? path.join(home, 'Documents', 'PowerShell', 'profile.ps1')
            : path.join(config, 'powershell', 'profile.ps1'),
        next,
      }
  }
}

/** The line for the startup file. It does nothing if the script was removed. */
const formatLoadLine = (shell: Shell, script: string): string => {
  const file = quoteFor(script, shell)
  return shell === 'powershell'
    ? `if (Test-Path ${file}) { . ${file} }`
    : `[ ! -r ${file} ] || source ${file}`
}

const quoteFor = (text: string, shell?: Shell): string =>
  shell === 'powershell' && !/^[\w./-]+$/.test(text)
    ? `'${text.replaceAll("'", "''")}'`
    : quoteShellWord(text)

const readIfExists = (file: string): string | undefined =>
  attempt(file, () => (existsSync(file) ? readFileSync(file, 'utf8') : undefined))

const refuseForeign = (file: string, shell: Shell): void => {
  const found = readIfExists(file)
  if (found === undefined || found.split('\n', 2).some((line) => line.startsWith('# orderctl: completion')))
    return
  throw new Failure('local-state', `${sanitize(file)} is not a completion script of orderctl`, {
    fix: `Move the file away, or print the script: orderctl completion ${shell}`,
    field: file,
  })
}

// Renamed into place, because a shell that starts now must not read half of the script.
const replace = (file: string, text: string): void => {
  makeFolder(path.dirname(file))
  const next = `${file}.next`
  try {
    writeFileSync(next, text)
    renameSync(next, file)
  } finally {
    rmSync(next, { force: true })
  }
}

const append = (file: string, line: string): void => {
  makeFolder(path.dirname(file))
  const found = readIfExists(file) ?? ''
  appendFileSync(file, `${found === '' || found.endsWith('\n') ? '' : '\n'}${line}\n`)
}

const attempt = <Result>(
  file: string,
  work: () => Result,
  fix = `Check its permissions. To print the script instead: orderctl completion ${shells.join('|')}`,
): Result => {
  try {
    return work()
  } catch (error) {
    throw new Failure('local-state', `cannot use ${sanitize(file)}: ${getErrorReason(error)}`, {
      fix,
      field: file,
      cause: error,
    })
  }
}
