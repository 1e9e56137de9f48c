// The completion script of each shell, and where it is installed: its file, and the line of the startup file that loads it.
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { Context } from '../context.ts'
import { readPackageFile } from '../package-file.ts'
import { quoteShellWord } from '../text/suggest.ts'

const files = {
  bash: 'orderctl.bash',
  zsh: '_orderctl',
  fish: 'orderctl.fish',
  powershell: 'orderctl.ps1',
} as const

export type Shell = keyof typeof files

export const shells = Object.keys(files) as Shell[]

export const readScript = (shell: Shell): string => readPackageFile(`completions/${files[shell]}`)

export type CompletionFiles = NonNullable<ReturnType<typeof findCompletionFiles>>

/** The script with its text in this version, and the line of the startup file `profile`. Undefined without a home folder. */
export const findCompletionFiles = (
  { environment, platform, home }: Pick<Context, 'environment' | 'platform' | 'home'>,
  shell: Shell,
) => {
  if (home === undefined || !path.isAbsolute(home)) return undefined
  // The XDG specification says to ignore relative paths.
  const folder = (name: string, ...otherwise: string[]): string => {
    const given = environment[name] ?? ''
    return path.isAbsolute(given) ? given : path.join(home, ...otherwise)
  }
  const config = folder('XDG_CONFIG_HOME', '.config')
  const data = path.join(folder('XDG_DATA_HOME', '.local', 'share'), 'orderctl')
  const powershell = platform === 'win32' ? [home, 'Documents', 'PowerShell'] : [config, 'powershell']
  const profiles = {
    // Terminals on macOS open login shells, which do not read .bashrc.
    bash: path.join(home, platform === 'darwin' ? '.bash_profile' : '.bashrc'),
    zsh: path.join(folder('ZDOTDIR'), '.zshrc'),
    // It loads the script without a line.
    fish: undefined,
    powershell: path.join(...powershell, 'profile.ps1'),
  }
  const script = path.join(shell === 'fish' ? path.join(config, 'fish', 'completions') : data, files[shell])
  // Does nothing if the script was removed.
  const line =
    shell === 'powershell'
      ? `if (Test-Path ${quoteForPowerShell(script)}) { . ${quoteForPowerShell(script)} }`
      : `[ ! -r ${quoteShellWord(script)} ] || source ${quoteShellWord(script)}`
  return { shell, script, text: readScript(shell), profile: profiles[shell], line }
}

/** PowerShell also reads the typographic quotation marks as the end of a string. */
const quoteForPowerShell = (text: string): string => `'${text.replaceAll(/['\u2018-\u201b]/g, '$&$&')}'`

export const readIfExists = (file: string): string | undefined =>
  existsSync(file) ? readFileSync(file, 'utf8') : undefined
