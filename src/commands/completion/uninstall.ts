// orderctl completion uninstall: prints the commands that remove what `completion install` wrote.
import { realpathSync } from 'node:fs'
import path from 'node:path'
import { shells } from '../../completion-scripts.ts'
import type { Context } from '../../context.ts'
import { type CompletionFiles, quoteFor } from '../shared/completion-files.ts'
import { readFile, requireFiles } from './install.ts'
import { knownShell } from './run.ts'
import type { UninstallOptions } from './spec.ts'

/** Returns the exit code. */
export const printRemoval = (context: Context, { shell: named }: UninstallOptions): number => {
  const { stdout, stderr } = context
  const chosen = named === undefined ? shells : [knownShell(named, 'completion uninstall')]
  const commands = chosen.flatMap((shell) => listRemoval(requireFiles(context, shell)))
  stdout.write(commands.map((command) => `${command}\n`).join(''))
  stderr.write(
    commands.length === 0
      ? 'No completion is installed.\n'
      : 'orderctl removed nothing. Type these commands, then open a new shell.\n',
  )
  return 0
}

const listRemoval = ({ shell, script, profile }: CompletionFiles): readonly string[] => {
  const quote = (file: string): string => quoteFor(shell, file)
  const isPowershell = shell === 'powershell'
  // The end of the path is the same in every home, and has no character that a shell quotes.
  const end = `/orderctl/${path.basename(script)}`
  const isLoaded = profile !== undefined && readFile(profile)?.includes(end) === true
  return [
    ...(readFile(script) === undefined ? [] : [`${isPowershell ? 'Remove-Item' : 'rm'} ${quote(script)}`]),
    ...(isLoaded ? [removeLines(quote(realpathSync(profile)), end.replace('.', '[.]'), isPowershell)] : []),
  ]
}

/** sed replaces a link by a file, so it gets the file behind the link. */
const removeLines = (profile: string, pattern: string, isPowershell: boolean): string =>
  isPowershell
    ? `@(Get-Content ${profile}) -notmatch '${pattern}' | Set-Content ${profile}`
    : `sed -i.bak '\\#${pattern}#d' ${profile}`
