// The flags of `orderctl batch`.
import type { Command } from '@commander-js/extra-typings'
import { collect, type FlagsOf, noInputFlag, withBasics, withOutput, withSession } from '../shared/flags.ts'

/** The examples of --fields, and what --quiet prints. */
export const summaryOutput = ['name,state,cards.delivered', 'names'] as const

export const batchForms = 'the name or id of a batch, or @last for the last one that you planned'

export const definePlanFlags = (command: Command) =>
  withBasics(
    withOutput(
      withSession(
        command
          .summary('Plan a batch; send nothing')
          .description(
            'Check the rows of a file, pack them into the fewest orders, and save the plan. ' +
              'The command sends nothing and needs no key. ' +
              'The file is CSV with a header, JSONL or a JSON array, with the columns sku, quote, quantity and productType. ' +
              'Use - as the file to read standard input.',
          )
          .argument('[file]')
          .option('--product <product>', 'SKU:QUOTE[xQUANTITY][/TYPE]; can be repeated', collect)
          .option('--wallet <currency>', 'wallet to pay from (default: the wallet of the profile)')
          .option('--name <name>', 'name of the batch (default: the name of the file without its extension)')
          .option('--map <field=column>', 'column of the file to use for a field; can be repeated', collect)
          .option(...noInputFlag),
      ),
      ...summaryOutput,
    ),
  )

export const defineRunFlags = (command: Command) =>
  withBasics(
    withOutput(
      withSession(
        command
          .summary('Buy a batch, or continue it')
          .description(
            'Buy the cards of a file or of a planned batch. After an interruption, run the batch again: orderctl continues, and buys nothing twice. ' +
              'It never spends more than the cap. On a terminal, it prompts once before it spends. In a script, --max-total is the consent. ' +
              'On other machines with the same journal, --worker takes part in a batch after it was started.',
          )
          .argument('[file-or-batch]')
          .option('--product <product>', 'SKU:QUOTE[xQUANTITY][/TYPE]; can be repeated', collect)
          .option('--wallet <currency>', 'wallet to pay from (default: the wallet of the profile)')
          .option('--name <name>', 'name of the batch (default: the name of the file without its extension)')
          .option('--map <field=column>', 'column of the file to use for a field; can be repeated', collect)
          .option('--max-total <amount>', 'cap of the whole batch, in the wallet currency')
          .option('--wait-approval <duration>', 'wait for the approval of the cap, if it needs one')
          .option('--parallel <count>', 'orders in progress at once, from 1 to 64 (default: 4)')
          .option('--worker', 'take part in a batch that another process has started')
          .option('--retry-failed', 'buy the failed cards of the batch again, but no duplicates')
          .option(
            '--allow-duplicate',
            'buy even if another batch of the same products was started in the last 24 hours',
          )
          .option('-y, --yes', 'spend without a prompt')
          .option(...noInputFlag),
      ),
      ...summaryOutput,
    ),
  )

export const defineListFlags = (command: Command) =>
  withBasics(
    withOutput(
      command
        .summary('List the batches')
        .description('List the batches in the journal, newest first.')
        .option('--profile <name>', 'only batches of this profile (default: all)')
        .option('--waiting', 'only batches that wait for an approval')
        .option('--limit <count>', 'maximum number of batches (default: 30)')
        .option(...noInputFlag),
      ...summaryOutput,
    ),
  )

export const defineShowFlags = (command: Command) =>
  withBasics(
    withOutput(
      command
        .summary('Show the state of a batch')
        .description(
          'Show the state of a batch from the journal. The command sends nothing and shows no codes.',
        )
        .argument('<batch>', batchForms)
        .option('--profile <name>', 'profile of the batch (default: the profile in use)')
        .option('--rows', 'show each row of the input: its price, its other columns and its orders')
        .option('--watch', 'show the progress until the batch ends or stops')
        .option(...noInputFlag),
      ...summaryOutput,
    ),
  )

export const defineExportFlags = (command: Command) =>
  withBasics(
    withSession(
      command
        .summary('Write the codes of a batch to a file')
        .description(
          'Write one line for each card, in the order of the input, with all its columns. ' +
            'The file is readable only by you (mode 0600). Its extension selects the format: .csv, .jsonl, or .html to print. A card whose code another card has gets none, and the exit code is 8.',
        )
        .argument('<batch>', batchForms)
        .argument('<file>', 'the file to write: .csv, .jsonl or .html')
        .option(
          '--recipient <column>',
          "with .html, the column that holds the recipient's name (default: recipient or name)",
        )
        .option('--force', 'overwrite the file')
        .option('-q, --quiet', 'print nothing but errors')
        .option(...noInputFlag),
    ),
  )

export const defineCancelFlags = (command: Command) =>
  withBasics(
    withOutput(
      command
        .summary('Cancel a batch')
        .description(
          'Give up the cards that are not bought yet. Confirmed orders keep their cards. You cannot undo this.',
        )
        .argument('<batch>', batchForms)
        .option('--profile <name>', 'profile of the batch (default: the profile in use)')
        .option(...noInputFlag),
      ...summaryOutput,
    ),
  )

export type PlanFlags = FlagsOf<typeof definePlanFlags>
export type RunFlags = FlagsOf<typeof defineRunFlags>
export type ListFlags = FlagsOf<typeof defineListFlags>
export type ShowFlags = FlagsOf<typeof defineShowFlags>
export type ExportFlags = FlagsOf<typeof defineExportFlags>
export type CancelFlags = FlagsOf<typeof defineCancelFlags>
