// The commands of orderctl with all their flags, for documents that are generated from them.
import { Command } from 'commander'
import { entries } from '../src/cli/program.ts'

export type Documented = {
  /** Such as 'orderctl batch run'. */
  readonly path: string
  readonly command: Command
  /** Of a command at the top level. */
  readonly group?: string
}

const listWithin = (command: Command, path: string): Documented[] => [
  { path, command },
  ...command.commands.flatMap((each) => listWithin(each, `${path} ${each.name()}`)),
]

/** Each command is followed by its subcommands. */
export const listCommands = (): Documented[] => {
  const program = new Command('orderctl')
  return entries.flatMap(({ name, summary, group, define }) => {
    const command = program.command(name).summary(summary)
    define(
      command as never,
      {} as never,
      () => {},
      async () => 0,
    )
    const [first, ...others] = listWithin(command, `orderctl ${name}`)
    return first === undefined ? [] : [{ ...first, group }, ...others]
  })
}

/** 'orderctl batch COMMAND [flags]', or 'orderctl batch run [flags] [file-or-batch]'. */
export const formatUsage = ({ path, command }: Documented): string =>
  command.usage().endsWith('[command]')
    ? `${path} COMMAND [flags]`
    : `${path} ${command.usage().replace('[options]', '[flags]')}`
