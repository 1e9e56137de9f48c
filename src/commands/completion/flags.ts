// completion, and the hidden __complete that its scripts call: their flags and help.

import type { Context } from '../../context.ts'
import { type CommandEntry, examples, withBasics } from '../shared/flags.ts'
import type { Tree } from './parse-line.ts'

const shells = 'bash|zsh|fish|powershell'

export const completionCommand: CommandEntry = {
  name: 'completion',
  summary: 'let the TAB key complete commands, orders and more',
  operand: [`[${shells}]`],
  fill: (command, context, setExit) => {
    withBasics(
      command
        .description(
          'Prints the script that lets the TAB key of your shell complete commands, flags, orders from here, ' +
            'products and profiles. It makes no call, and runs nothing of what is typed.',
        )
        .usage(`[flags] ${shells}`),
    )
      .helpCommand(false)
      .addHelpText(
        ...examples(
          'orderctl completion install',
          'source <(orderctl completion bash)',
          'orderctl completion fish > ~/.config/fish/completions/orderctl.fish',
        ),
      )
      .action(async (shell: string | undefined) => {
        if (shell === undefined) return command.outputHelp()
        const { printCompletion } = await import('./run.ts')
        setExit(await printCompletion(context, shell))
      })
    withBasics(
      command
        .command('install')
        .summary('set it up for your shell')
        .description(
          'Sets completion up for a shell, yours where none is named: says which files it will write or add to, ' +
            'asks on a terminal, and does it. Again, it only brings its own file up to date.',
        )
        .usage(`[flags] [${shells}]`)
        .argument(`[${shells}]`)
        .option('-y, --yes', 'do not ask')
        .option('--no-input', 'never ask'),
    )
      .addHelpText(...examples('orderctl completion install', 'orderctl completion install zsh --yes'))
      .action(async (shell: string | undefined, flags) => {
        const { installCompletion } = await import('./install.ts')
        setExit(await installCompletion(context, shell, flags))
      })
  },
}

/** The hidden __complete. Not a command of the tree: whatever is typed behind it, it is words to complete. */
export const completeWords = async (
  context: Context,
  tree: Tree,
  words: readonly string[],
): Promise<void> => {
  const { complete } = await import('./complete.ts')
  await complete(context, tree, words[0] === '--' ? words.slice(1) : words)
}
