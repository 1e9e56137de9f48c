// The flags and help of `orderctl batch plan` and `orderctl batch run`, which take the rows of a batch.

import { account, duration, maxTotal, noInput, output, products, yes } from '../../cli/flags.ts'
import { type CheckInput, defineSpec, type OptionsOf, type Problem } from '../../cli/spec.ts'
import { currencyForm, normalizeCurrency } from '../../contract/shape.ts'
import { type ColumnChoice, findMapConflicts, parseMapping } from './input/columns.ts'

const maxParallel = 64

/** The summary of a batch as JSON, or its name. */
export const summaryOutput = output('name,state,cards.delivered', 'names')

/** What a batch is planned from, beside its file. */
const rowFlags = {
  product: products,
  wallet: {
    takes: '<currency>',
    help: 'wallet to pay from (default: the wallet of the profile)',
    parse: normalizeCurrency,
    allowed: currencyForm,
  },
  name: {
    takes: '<name>',
    help: 'name of the batch (default: that of the file)',
    completes: 'new',
  },
  sheet: { takes: '<name>', help: 'sheet of an .xlsx file (default: the first one)' },
  map: {
    takes: '<field=column>',
    help: 'column of the file to use for a field',
    repeats: true,
    parse: parseMapping,
  },
  ignore: {
    takes: '<column>',
    help: 'column to keep for the export only, even if named like a field',
    repeats: true,
  },
} as const

/** `files`: what the command takes as an argument. */
const checkRows = (
  files: string,
  columns: ColumnChoice,
  { path, isGiven }: CheckInput,
): readonly Problem[] => [
  // --worker itself needs the name of a batch.
  ...(['file', 'product', 'worker'].some(isGiven)
    ? []
    : [{ text: `${path} needs ${files} or --product`, field: '--product' }]),
  ...findMapConflicts(columns),
]

export const plan = defineSpec(
  {
    summary: 'Plan a batch; send nothing',
    description:
      'Check the rows of a file, pack them into the fewest orders, and save the plan. ' +
      'The command sends nothing and needs no key. ' +
      'The file is CSV with a header, an .xlsx workbook, JSONL or a JSON array, with the columns sku, quote, quantity and productType. ' +
      'Use - as the file to read standard input.',
    args: { file: { form: '[file]' } },
    flags: { ...rowFlags, noInput, ...account, ...summaryOutput },
    examples: [
      'orderctl batch plan orders.csv --wallet USD',
      'orderctl batch plan orders.csv --map sku=Article --map quote=Amount',
      'orderctl batch plan --product GAME-US:25x40 --wallet USD --name team-gifts',
    ],
  },
  (options, input) => checkRows('a file', options, input),
)

export type PlanOptions = OptionsOf<typeof plan>

const takesPart = 'takes part in a started batch'

export const run = defineSpec(
  {
    summary: 'Buy a batch, or continue it',
    act: 'spend money from a real account',
    description:
      'Buy the cards of a file or of a planned batch. After an interruption, run the batch again: orderctl continues, and buys nothing twice. ' +
      'It never spends more than the cap. On a terminal, it prompts once before it spends. In a script, --max-total is the consent. ' +
      'On other machines with the same journal, --worker joins a batch that has been started.',
    args: { file: { form: '[file-or-batch]', nameInErrors: 'the name of a batch' } },
    flags: {
      ...rowFlags,
      maxTotal: { ...maxTotal, help: 'cap of the whole batch, in the wallet currency' },
      waitApproval: { ...duration, help: 'wait for the approval of the cap, if it needs one' },
      parallel: {
        takes: '<count>',
        help: `orders to create or confirm at once, from 1 to ${maxParallel} (default: 4)`,
        parse: (text) => (/^[1-9]\d?$/.test(text) && Number(text) <= maxParallel ? Number(text) : undefined),
        allowed: `a whole number from 1 to ${maxParallel}`,
        default: 4,
      },
      worker: {
        help: 'take part in a batch that is already started',
        needs: { oneOf: ['file'] },
        // They were decided when the batch was started.
        excludes: {
          product: takesPart,
          sheet: takesPart,
          map: takesPart,
          ignore: takesPart,
          name: takesPart,
          wallet: takesPart,
          retryFailed: takesPart,
          allowDuplicate: takesPart,
          waitApproval: takesPart,
          maxTotal: 'uses the cap of the batch',
        },
      },
      retryFailed: { help: 'buy the failed cards of the batch again, but no duplicates' },
      allowDuplicate: {
        help: 'buy even if another batch of the same products was started in the last 24 hours',
      },
      yes,
      noInput,
      ...account,
      ...summaryOutput,
    },
    examples: [
      'orderctl batch run orders.csv --wallet USD --max-total 5000',
      'orderctl batch run orders --parallel 8',
      'orderctl batch run orders --worker',
      'orderctl batch run orders --max-total 5000 --wait-approval 2h',
      'orderctl batch run orders --retry-failed',
    ],
  },
  (options, input) => checkRows('a file, a batch', options, input),
)

export type RunOptions = OptionsOf<typeof run>
