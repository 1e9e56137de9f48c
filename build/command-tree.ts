// orderctl's commands with all their flags, for generated documents.
import { Command } from 'commander'
import { addSpec, type Described } from '../src/cli/read-options.ts'
import type { Context } from '../src/context.ts'
import { entries, loadSpec } from '../src/program/program.ts'

export type Documented = {
  /** Such as 'orderctl batch run'. */
  readonly path: string
  readonly command: Described
  /** Of a command at the top level. */
  readonly group?: string
}

const listWithin = (command: Command, path: string): Documented[] => [
  { path, command },
  ...command.commands.flatMap((each) => listWithin(each, `${path} ${each.name()}`)),
]

const loaded = await Promise.all(
  entries.map(async ({ load, ...entry }) => ({ ...entry, node: (await load()).command })),
)

const nowhere = {
  context: {} as Context,
  setExit: () => {},
  runWords: async () => 0,
  loadSpec,
  requirePerson: async () => {},
}

/** The program with all commands. Nothing can be run. */
export const buildTree = (): Command => {
  const program = new Command('orderctl').enablePositionalOptions()
  for (const { name, summary, node } of loaded)
    addSpec(program.command(name).summary(summary), name, node, nowhere)
  return program
}

/** Each command is followed by its subcommands. */
export const listCommands = (): Documented[] => {
  const { commands } = buildTree()
  return entries.flatMap(({ name, group }) => {
    const command = commands.find((each) => each.name() === name)
    const [first, ...others] = command === undefined ? [] : listWithin(command, `orderctl ${name}`)
    return first === undefined ? [] : [{ ...first, group }, ...others]
  })
}

/** 'orderctl batch COMMAND [flags]', or 'orderctl batch run [flags] [file-or-batch]'. */
export const formatUsage = ({ path, command }: Documented): string =>
  command.usage().endsWith('[command]')
    ? `${path} COMMAND [flags]`
    : `${path} ${command.usage().replace('[options]', '[flags]')}`
