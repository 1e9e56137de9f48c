// The completion script of each shell, and where it is installed: its file, and the line of the startup file that loads it.
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { Context } from '../context.ts'
import { readPackageFile } from '../package-file.ts'
import { quoteShellWord } from '../text/shell-word.ts'

const files = {
  bash: 'orderctl.bash',
  zsh: '_orderctl',
  fish: 'orderctl.fish',
  powershell: 'orderctl.ps1',
} as const

export type Shell = keyof typeof files

export const shells = Object.keys(files) as Shell[]

export const scriptOf = (shell: Shell): { readonly file: string; readonly text: string } => ({
  file: files[shell],
  text: readPackageFile(`completions/${files[shell]}`),
})

export type CompletionFiles = {
  readonly shell: Shell
  readonly script: string
  /** The text of the script in this version of orderctl. */
  readonly text: string
  /** The startup file that loads the script. fish loads it without one. */
  readonly profile: string | undefined
  /** The line of the startup file. It does nothing if the script was removed. */
  readonly line: string
  /** The command that loads the script in an open shell. */
  readonly next: string
}

/** Undefined if there is no home folder. */
export const findCompletionFiles = (
  { environment, platform, home }: Pick<Context, 'environment' | 'platform' | 'home'>,
  shell: Shell,
): CompletionFiles | undefined => {
  if (home === undefined || !path.isAbsolute(home)) return undefined
  const { text, file } = scriptOf(shell)
  // The XDG specification says to ignore relative paths.
  const folder = (name: string, ...otherwise: string[]): string => {
    const given = environment[name] ?? ''
    return path.isAbsolute(given) ? given : path.join(home, ...otherwise)
  }
  const config = folder('XDG_CONFIG_HOME', '.config')
  const profiles = {
    // Terminals on macOS open login shells, which do not read .bashrc.
    bash: path.join(home, platform === 'darwin' ? '.bash_profile' : '.bashrc'),
    zsh: path.join(folder('ZDOTDIR'), '.zshrc'),
    fish: undefined,
    powershell:
      platform === 'win32'
        ? path.join(home, 'Documents', 'PowerShell', 'profile.ps1')
        : path.join(config, 'powershell', 'profile.ps1'),
  }
  const script =
    shell === 'fish'
      ? path.join(config, 'fish', 'completions', file)
      : path.join(folder('XDG_DATA_HOME', '.local', 'share'), 'orderctl', file)
  const quoted = quoteFor(shell, script)
  const [next, line] =
    shell === 'powershell'
      ? [`. ${quoted}`, `if (Test-Path ${quoted}) { . ${quoted} }`]
      : [`source ${quoted}`, `[ ! -r ${quoted} ] || source ${quoted}`]
  return { shell, script, text, profile: profiles[shell], line, next }
}

export const quoteFor = (shell: Shell, text: string): string =>
  shell === 'powershell' && !/^[\w./-]+$/.test(text)
    ? `'${text.replaceAll("'", "''")}'`
    : quoteShellWord(text)

export const isCompletionScript = (text: string): boolean =>
  text.split('\n', 2).some((line) => line.startsWith('# orderctl: completion'))

export const readIfExists = (file: string): string | undefined =>
  existsSync(file) ? readFileSync(file, 'utf8') : undefined
