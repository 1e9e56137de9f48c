// The flags of `orderctl create`.
import type { Command } from '@commander-js/extra-typings'
import {
  collect,
  type FlagsOf,
  noInputFlag,
  revealFlag,
  withBasics,
  withOutput,
  withSession,
} from '../shared/flags.ts'

export const defineFlags = (command: Command) => {
  const own = command
    .description(
      'Place an order from flags or an order file, which is the documented request as JSON. ' +
        'Use - as the file to read standard input. ' +
        'Flags override the file. orderctl checks the whole order before it sends anything. ' +
        'On a terminal, it prompts for missing values, and offers a batch for more cards than one order holds.',
    )
    .argument('[file]')
    .option('--product <product>', 'SKU:QUOTE[xQUANTITY][/TYPE]; can be repeated', collect)
    .option('--again <order>', 'order the products of this order again, with a new reference')
    .option('--missing', 'with --again: only the cards that the order did not deliver')
    .option('--wallet <currency>', 'wallet to pay from')
    .option('--reference <text>', 'your reference (generated if omitted; required in a file)')
    .option('--webhook-url <url>', 'address to which the service delivers the order')
    .option('--confirm', 'confirm the order at once and spend its total')
    .option('--watch', 'confirm the order, then wait until it is final')
    .option('--max-total <amount>', 'do not confirm an order whose total is higher (in the wallet currency)')
    .option('--idempotent', 'continue the order of this reference if an earlier run placed it; buy once')
    .option('--allow-duplicate', 'place the order even if its reference is in use on this account')
    .option(...noInputFlag)
    .option('--dry-run', 'check the order and print the request; send nothing')
    .option('--skeleton', 'print an example of an order file')
    .option('--schema', 'print the JSON Schema of an order file')
    .option(...revealFlag)
  return withBasics(withOutput(withSession(own), 'id,invoice.total'))
}

export type CreateFlags = FlagsOf<typeof defineFlags>
