// orderctl completion install: the script into a file of our own, and where the shell needs it, one line that
// sources it. Says first what it will change; again, it brings its own file up to date and changes nothing else.
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

/** Where the script goes, and the file of the shell's that sources it; fish finds it by itself. */
type Place = { readonly script: string; readonly profile?: string; readonly next: string }

export const installCompletion = async (
  context: Context,
  named: string | undefined,
  flags: InstallFlags,
): Promise<number> => {
  const shell = named === undefined ? usualShell(context) : knownShell(named, 'completion install')
  const { text, file } = scriptOf(shell)
  const { script, profile, next } = placeOf(context, shell, file)
  const writes = contentOf(script) !== text
  if (writes) refuseForeign(script, shell)
  const line = lineFor(shell, script)
  const adds = profile !== undefined && !contentOf(profile)?.split(/\r?\n/).includes(line)
  const changes = [...(writes ? [`write ${script}`] : []), ...(adds ? [`add to ${profile}: ${line}`] : [])]
  const { stderr } = context
  if (changes.length > 0) {
    stderr.write(changes.map((change) => `will ${sanitize(change)}\n`).join(''))
    if (flags.yes !== true && canPrompt(context, flags) && !(await context.confirm('Do that?'))) {
      throw interruption(context.interrupted, 'nothing was changed')
    }
    if (writes) attempt(script, () => replace(script, text))
    if (adds) {
      // Where another tool keeps it, it is for a person to say it there.
      attempt(profile, () => append(profile, line), `Add this line to it yourself: ${sanitize(line)}`)
    }
  }
  stderr.write(changes.length > 0 ? 'done\n' : `completion for ${shell} is set up already\n`)
  stderr.write(`open a new ${shell}, or type here: ${sanitize(next)}\n`)
  return 0
}

const usualShell = ({ environment }: Context): Shell => {
  const name = path.basename(environment.SHELL ?? '')
  const shell = shells.find((each) => each === (name === 'pwsh' ? 'powershell' : name))
  if (shell !== undefined) return shell
  throw new Failure(
    'usage',
    name === '' ? 'SHELL is not set' : `there is no completion for ${sanitize(name)}`,
    {
      fix: `orderctl completion install ${shells.join('|')}`,
    },
  )
}

const placeOf = ({ environment, platform, home }: Context, shell: Shell, file: string): Place => {
  if (home === undefined || !path.isAbsolute(home)) {
    throw new Failure('local-state', 'there is no home folder, so there is no place for completion', {
      fix: `orderctl completion ${shell} prints the script.`,
    })
  }
  // As the XDG specification has it, what is not absolute is not set.
  const folder = (name: string, ...otherwise: string[]): string => {
    const given = environment[name] ?? ''
    return path.isAbsolute(given) ? given : path.join(home, ...otherwise)
  }
  const config = folder('XDG_CONFIG_HOME', '.config')
  if (shell === 'fish') {
    const script = path.join(config, 'fish', 'completions', file)
    return { script, next: `source ${quoted(script)}` }
  }
  const script = path.join(folder('XDG_DATA_HOME', '.local', 'share'), 'orderctl', file)
  const next = `${shell === 'powershell' ? '.' : 'source'} ${quoted(script, shell)}`
  switch (shell) {
    case 'bash':
      // A terminal on macOS opens login shells.
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

/** For the shell's own file: quiet where the script is gone. */
const lineFor = (shell: Shell, script: string): string => {
  const file = quoted(script, shell)
  return shell === 'powershell'
    ? `if (Test-Path ${file}) { . ${file} }`
    : `[ ! -r ${file} ] || source ${file}`
}

const quoted = (text: string, shell?: Shell): string =>
  shell === 'powershell' && !/^[\w./-]+$/.test(text)
    ? `'${text.replaceAll("'", "''")}'`
    : quoteShellWord(text)

const contentOf = (file: string): string | undefined =>
  attempt(file, () => (existsSync(file) ? readFileSync(file, 'utf8') : undefined))

const refuseForeign = (file: string, shell: Shell): void => {
  const found = contentOf(file)
  if (found === undefined || found.split('\n', 2).some((line) => line.startsWith('# orderctl: completion')))
    return
  throw new Failure('local-state', `${sanitize(file)} is not a script of orderctl`, {
    fix: `It was left untouched. Move it away, or use orderctl completion ${shell}.`,
    field: file,
  })
}

// Beside it first: a shell that starts now must not read half of it.
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
  const found = contentOf(file) ?? ''
  appendFileSync(file, `${found === '' || found.endsWith('\n') ? '' : '\n'}${line}\n`)
}

const attempt = <Result>(
  file: string,
  work: () => Result,
  fix = 'See that you may write there; orderctl completion prints the script.',
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
