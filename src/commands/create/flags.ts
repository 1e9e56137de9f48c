// The flags and help of `orderctl create`.
import {
  type CommandEntry,
  collect,
  examples,
  noInput,
  reveal,
  withBasics,
  withOutput,
  withSession,
} from '../shared/flags.ts'

export const createCommand: CommandEntry = {
  name: 'create',
  summary: 'place an order, from flags or a file',
  operand: ['[file]'],
  fill: (command, context, setExit) => {
    command
      .description(
        'Places an order: from flags, an order file (JSON, the documented request) or - for standard input; flags win. ' +
          'Everything is checked here before anything is sent. On a terminal it asks for what is missing.',
      )
      .option('--product <product>', 'SKU:QUOTE[xQUANTITY][/TYPE]; may be repeated', collect)
      .option('--wallet <currency>', 'the wallet to pay from')
      .option('--reference <text>', 'your reference (made up when left out; required in a file)')
      .option('--webhook-url <url>', 'where the service delivers the order')
      .option('--confirm', 'confirm it at once: spends')
      .option('--watch', 'confirm it, then wait until it is final')
      .option('--max-total <amount>', 'do not confirm what costs more, in the wallet currency')
      .option('--idempotent', 'go on with the order of this reference if an earlier run placed it; buy once')
      .option('--allow-duplicate', 'order again although the reference is in use on this account')
      .option(...noInput)
      .option('--dry-run', 'check the order and print the request; send nothing')
      .option('--skeleton', 'print an example of an order file')
      .option('--schema', 'print the JSON Schema of an order file')
      .option(...reveal)
    withBasics(withOutput(withSession(command), 'id,invoice.total'))
      .addHelpText(
        ...examples(
          'orderctl create',
          'orderctl create --product GAME-US:25x2 --wallet USD --confirm --watch',
          'orderctl create order.json --json',
        ),
      )
      .action(async (file: string | undefined, flags) => {
        const { create } = await import('./run.ts')
        setExit(await create(context, file, flags))
      })
  },
}
