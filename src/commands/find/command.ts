// The command `orderctl find`: its help, and what it runs.
import { Failure } from '../../errors.ts'
import { type CommandEntry, examples } from '../shared/flags.ts'
import { defineFlags } from './flags.ts'

const notes = `
Upper and lower case, spaces and dashes do not matter. A value of fewer than 8
letters and digits may be on several cards, so orderctl then asks about all
orders of the period.

The journal records who found which order, but not the value. To see it, run
orderctl list --reveals.
`

export const findCommand: CommandEntry = {
  name: 'find',
  summary: 'Find the order that a code, PIN or link is from',
  group: 'Orders',
  define: (command, context, setExit) => {
    defineFlags(command)
      .addHelpText(
        ...examples(
          'orderctl find',
          'orderctl find --since 2026-01-01 --all',
          'orderctl find --json < code.txt',
        ),
      )
      .addHelpText('after', notes)
      // Commander would repeat the words in its own errors.
      .allowExcessArguments()
      .allowUnknownOption()
      .action(async (flags, { args }) => {
        refuseWords(args)
        const { find } = await import('./run.ts')
        setExit(await find(context, flags))
      })
  },
}

/** Does not repeat the words, because they may be a code. */
const refuseWords = (words: readonly string[]): void => {
  if (words.length === 0) return
  const isFlag = words.every((word) => word.startsWith('--'))
  throw new Failure(
    'usage',
    isFlag
      ? 'unknown flag; it is not repeated here, because it may contain a code'
      : 'find takes no argument: the code would stay in the history of the shell, and other users could see it',
    {
      fix: isFlag
        ? 'orderctl find --help'
        : 'Run orderctl find and type the code at its prompt, or read it from a file: orderctl find < code.txt',
    },
  )
}
