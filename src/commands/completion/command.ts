// The command `orderctl completion`: its help, and what it runs.
import type { Context } from '../../context.ts'
import { type CommandEntry, examples, withBasics } from '../shared/flags.ts'
import { defineInstallFlags, defineUninstallFlags, shells } from './flags.ts'
import type { Tree } from './parse-line.ts'

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
    defineUninstallFlags(command.command('uninstall'))
      .addHelpText(...examples('orderctl completion uninstall', 'orderctl completion uninstall zsh'))
      .action(async (shell) => {
        const { printRemoval } = await import('./uninstall.ts')
        setExit(printRemoval(context, shell))
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
