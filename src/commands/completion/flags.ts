// The flags and help of `orderctl completion`, and the hidden `__complete` that its scripts call.
import type { Command } from '@commander-js/extra-typings'
import type { Context } from '../../context.ts'
import { type CommandEntry, examples, type FlagsOf, noInputFlag, withBasics } from '../shared/flags.ts'
import type { Tree } from './parse-line.ts'

const shells = 'bash|zsh|fish|powershell'

const defineInstallFlags = (command: Command) =>
  withBasics(
    command
      .summary('Install the script for your shell')
      .description(
        'Install the completion script for a shell (default: your shell). orderctl first lists the files that it ' +
          'will change, and prompts on a terminal. If it is installed already, only the script is updated.',
      )
      .usage(`[flags] [${shells}]`)
      .argument(`[${shells}]`)
      .option('-y, --yes', 'do not prompt')
      .option(...noInputFlag),
  )

export type InstallFlags = FlagsOf<typeof defineInstallFlags>

export const completionCommand: CommandEntry = {
  name: 'completion',
  summary: 'Print or install the script for the TAB key',
  group: 'Other',
  define: (command, context, setExit) => {
    withBasics(
      command
        .description(
          'Print the script that lets the TAB key complete commands, flags, your orders, products and profiles. ' +
            'Completion never calls the service and never runs what you typed.',
        )
        .usage(`[flags] ${shells}`)
        .argument(`[${shells}]`),
    )
      .helpCommand(false)
      .addHelpText(
        ...examples(
          'orderctl completion install',
          'source <(orderctl completion bash)',
          'orderctl completion fish > ~/.config/fish/completions/orderctl.fish',
        ),
      )
      .action(async (shell) => {
        if (shell === undefined) return command.outputHelp()
        const { printCompletion } = await import('./run.ts')
        setExit(await printCompletion(context, shell))
      })
    defineInstallFlags(command.command('install'))
      .addHelpText(...examples('orderctl completion install', 'orderctl completion install zsh --yes'))
      .action(async (shell, flags) => {
        const { installCompletion } = await import('./install.ts')
        setExit(await installCompletion(context, shell, flags))
      })
  },
}

/** `__complete` is not in the command tree, because everything after it is words to complete. */
export const completeWords = async (
  context: Context,
  tree: Tree,
  words: readonly string[],
): Promise<void> => {
  const { complete } = await import('./complete.ts')
  await complete(context, tree, words[0] === '--' ? words.slice(1) : words)
}
