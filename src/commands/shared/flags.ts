// What the commands' flags have in common.
import type { Command } from 'commander'
import type { Context } from '../../context.ts'

/** A command: what the list of all commands says of it, and the rest, which only its own use asks for. */
export type CommandEntry = {
  readonly name: string
  readonly summary: string
  readonly operand?: readonly [name: string, description?: string]
  /** Its flags, help and action. */
  readonly fill: (command: Command, context: Context, setExit: (code: number) => void) => void
}

export const collect = (value: string, earlier: readonly string[] = []): string[] => [...earlier, value]

/** On every command. */
export const withBasics = (command: Command): Command =>
  command
    .option('--json', 'print JSON; errors as one JSON object on stderr')
    .option('--no-color', 'print without colour')
    .helpOption('-h, --help', 'print this help')

/** On every command that speaks to a service. */
export const withSession = (command: Command): Command =>
  withCalls(
    command.option('--profile <name>', 'the account to act on (default: the one in use; built in: sandbox)'),
  )

/** On every command that may make calls. */
export const withCalls = (command: Command): Command =>
  command
    .option('--timeout <duration>', 'how long one call may take (default: 45s; 30s to read)')
    .option('--allow-http', 'let the key go over plain http to another machine')
    .option('--debug', 'trace requests on stderr, without credentials and codes')

/** On every command that prints orders. */
export const withOutput = (command: Command, fields = 'uid,invoice.total'): Command =>
  command
    .option('--fields <paths>', `with --json, these fields alone: ${fields}`)
    .option('-q, --quiet', 'print ids alone')

/** What a help opens with. */
export const examples = (...lines: readonly string[]) =>
  ['before', `Examples:\n${lines.map((line) => `  ${line}\n`).join('')}`] as const

export const reveal = ['--reveal', 'show codes, PINs, serial numbers and links'] as const
export const orderForms = 'an order id, @last for the last one placed from here, or ref:REFERENCE'
export const noInput = ['--no-input', 'never ask'] as const
