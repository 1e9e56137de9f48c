// Flags that several commands have, and the shape of a command's definition.
import type { Command, OptionValues } from '@commander-js/extra-typings'
import type { Context } from '../../context.ts'

/** The heading under which `orderctl --help` lists a command. */
type CommandGroup = 'Orders' | 'Accounts' | 'Other'

export type CommandEntry = {
  readonly name: string
  readonly summary: string
  readonly group: CommandGroup
  /**
   * Adds the arguments, flags, help and action. Called only for the command that runs: all of them take 3 ms.
   * `runWords` runs another command line in place of the command, and returns its exit code.
   */
  readonly define: (
    command: Command,
    context: Context,
    setExit: (code: number) => void,
    runWords: (words: readonly string[]) => Promise<number>,
  ) => void
}

/** The flags of a command, as its definition declares them. */
export type FlagsOf<Define extends (command: Command) => unknown> =
  ReturnType<Define> extends { opts(): infer Flags } ? Flags : never

export const collect = (value: string, earlier: readonly string[] = []): string[] => [...earlier, value]

/** Flags of every command. */
export const withBasics = <Args extends unknown[], Flags extends OptionValues>(
  command: Command<Args, Flags>,
) =>
  command
    .option('--json', 'print JSON; errors as one JSON object on stderr')
    .option('--no-color', 'print without colour')
    .helpOption('-h, --help', 'print this help')

const timeoutOfCall = 'time limit of one call (default: 45s for create and confirm, 30s for get)'

/** Flags of every command that acts on one account. `timeout`: what --timeout limits. */
export const withSession = <Args extends unknown[], Flags extends OptionValues>(
  command: Command<Args, Flags>,
  timeout = timeoutOfCall,
) =>
  withCalls(
    command.option('--profile <name>', 'profile to use (default: the profile in use; sandbox is built in)'),
    timeout,
  )

/** Flags of every command that calls the service. */
export const withCalls = <Args extends unknown[], Flags extends OptionValues>(
  command: Command<Args, Flags>,
  timeout = timeoutOfCall,
) =>
  command
    .option('--timeout <duration>', timeout)
    .option('--allow-http', 'allow sending the key over plain http to another machine')
    .option('--debug', 'trace requests on stderr, without credentials and codes')

/** Flags of every command that prints orders. */
export const withOutput = <Args extends unknown[], Flags extends OptionValues>(
  command: Command<Args, Flags>,
  fields = 'uid,invoice.total',
  ids = 'ids',
) =>
  command
    .option('--fields <paths>', `with --json, print only these fields: ${fields}`)
    .option('-q, --quiet', `print only ${ids}`)

export const examples = (...lines: readonly string[]) =>
  ['before', `Examples:\n${lines.map((line) => `  ${line}\n`).join('')}`] as const

export const revealFlag = ['--reveal', 'show codes, PINs, serial numbers and links'] as const
export const noInputFlag = ['--no-input', 'never prompt'] as const
export const orderForms =
  'an order id, @last for the last order that you placed, ref:REFERENCE, or batch:NAME'
/** For a command that lists recent orders if none is named. */
export const pickedOrderForms = `${orderForms} (default on a terminal: a list of recent orders)`
