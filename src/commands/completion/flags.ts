// The flags of `orderctl completion`.
import type { Command } from '@commander-js/extra-typings'
import { type FlagsOf, noInputFlag, withBasics } from '../shared/flags.ts'

export const shells = 'bash|zsh|fish|powershell'

export const defineInstallFlags = (command: Command) =>
  withBasics(
    command
      .summary('Install the script for your shell')
      .description(
        'Install the completion script for a shell (default: your shell). orderctl first lists the files that it ' +
          'will change, and prompts on a terminal. If completion is already installed, orderctl updates only the script.',
      )
      .usage(`[flags] [${shells}]`)
      .argument(`[${shells}]`)
      .option('-y, --yes', 'do not prompt')
      .option(...noInputFlag),
  )

export const defineUninstallFlags = (command: Command) =>
  withBasics(
    command
      .summary('Print the commands that remove the script')
      .description(
        'Print the commands that remove the completion script of a shell (default: of every shell), and the line of the startup file that loads it.',
      )
      .usage(`[flags] [${shells}]`)
      .argument(`[${shells}]`),
  )

export type InstallFlags = FlagsOf<typeof defineInstallFlags>
