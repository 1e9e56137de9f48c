// The command `orderctl batch`: its subcommands with their arguments, flags and help. plan and run take the rows of a batch.

import {
  account,
  duration,
  maxTotal,
  noInput,
  output,
  positiveCount,
  products,
  timeout,
  wallet,
  yes,
} from '../cli/flags.ts'
import { type CheckInput, defineCommand, defineSpec, type OptionsOf, type Problem } from '../cli/spec.ts'
import { currencyForm, normalizeCurrency } from '../contract/shape.ts'
import { dayMs } from '../contract/time.ts'
import { isPlanId } from '../operations/batch-limits.ts'
import { type ColumnChoice, findMapConflicts, parseMapping } from './input/columns.ts'

const maxParallel = 64

/** The summary of a batch as JSON, or its name. */
const summaryOutput = output('name,state', 'names')

/** What a batch is planned from, beside its file. */
const rowFlags = {
  product: products,
  wallet: { ...wallet, parse: normalizeCurrency, allowed: currencyForm },
  name: { takes: '<name>', help: 'name of the batch (default: that of the file)', completes: 'new' },
  sheet: { takes: '<name>', help: 'sheet of an .xlsx file (default: the first one)' },
  map: {
    takes: '<field=column>',
    help: 'column of the file to use for a field',
    repeats: true,
    parse: parseMapping,
  },
  ignore: {
    takes: '<column>',
    advanced: true,
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
      'Buy the cards of a file or of a planned batch, up to a cap. ' +
      'After an interruption, run the batch again: orderctl continues, and buys nothing twice. ' +
      'On a terminal, it prompts once before it spends. In a script, --max-total is the consent.',
    args: { file: { form: '[file-or-batch]', nameInErrors: 'the name of a batch' } },
    flags: {
      ...rowFlags,
      maxTotal: { ...maxTotal, help: 'cap of the whole batch, in the wallet currency' },
      wait: { ...duration, help: 'time limit of the wait for an approval (default: no wait)' },
      parallel: {
        advanced: true,
        takes: '<count>',
        help: `orders to create or confirm at once, from 1 to ${maxParallel} (default: 4)`,
        parse: (text) => (/^[1-9]\d?$/.test(text) && Number(text) <= maxParallel ? Number(text) : undefined),
        allowed: `a whole number from 1 to ${maxParallel}`,
        default: 4,
      },
      worker: {
        help: 'take part in a batch that another process has started',
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
          wait: takesPart,
          maxTotal: 'uses the cap of the batch',
        },
      },
      retryFailed: { help: 'buy the failed cards of the batch again, but no duplicates' },
      allowDuplicate: {
        advanced: true,
        help: 'buy even if another batch of the same products was started in the last 24 hours',
      },
      yes,
      noInput,
      ...account,
      ...summaryOutput,
    },
    examples: [
      'orderctl batch run orders.csv --wallet USD --max-total 5000',
      'orderctl batch run orders --worker',
      'orderctl batch run orders --max-total 5000 --wait 2h',
      'orderctl batch run orders --retry-failed',
    ],
  },
  (options, input) => checkRows('a file, a batch', options, input),
)

export type RunOptions = OptionsOf<typeof run>

const batchArgument = {
  form: '<batch>',
  help: 'the name or id of a batch, or @last for the last one that you planned',
} as const

/** Of a command that reads the batch from the journal. */
const profileOfBatch = {
  takes: '<name>',
  help: 'profile of the batch (default: the profile in use)',
} as const

const summary = { noInput, ...summaryOutput } as const

const batch = defineSpec({
  guide: 'batch',
  description:
    'Buy many cards from a file. orderctl packs the rows into orders, buys the cards, and writes the codes next to your columns. ' +
    'You can stop a batch at any time and run it again. It never buys a row twice.',
  examples: [
    'orderctl batch plan orders.csv --wallet USD',
    'orderctl batch run orders.csv --wallet USD --max-total 5000',
    'orderctl batch export orders codes.csv',
  ],
})

const list = defineSpec({
  summary: 'List the batches',
  description: 'List the batches in the journal, newest first.',
  flags: {
    profile: {
      takes: '<name>',
      help: 'only batches of this profile (default: all but the sandbox, or only the sandbox if it is in use)',
    },
    waiting: { help: 'only batches that wait for an approval' },
    limit: {
      ...positiveCount,
      takes: '<count>',
      help: 'maximum number of batches (default: 30)',
      default: 30,
    },
    ...summary,
  },
  examples: ['orderctl batch list', 'orderctl batch list --json', 'orderctl batch list --waiting'],
})

export type ListOptions = OptionsOf<typeof list>

const show = defineSpec({
  summary: 'Show the state of a batch',
  description: 'Show the state of a batch from the journal. The command sends nothing and shows no codes.',
  args: { batch: batchArgument },
  flags: {
    profile: profileOfBatch,
    rows: { help: 'show each row of the input: its price, its other columns and its orders' },
    failed: {
      help: 'with --rows, show only rows with a card that failed or is a duplicate',
      needs: { oneOf: ['rows'] },
    },
    watch: { help: 'show the progress until the batch ends or stops' },
    ...summary,
    quiet: {
      ...summaryOutput.quiet,
      excludes: { ...summaryOutput.quiet.excludes, rows: 'prints only the name' },
    },
  },
  examples: [
    'orderctl batch show orders',
    'orderctl batch show orders --rows --json',
    'orderctl batch show @last --watch',
  ],
})

export type ShowOptions = OptionsOf<typeof show>

const approve = defineSpec({
  summary: "Approve someone else's batch",
  act: 'approve a batch',
  description:
    'Allow a batch to spend up to a cap that needs an approval (orderctl profile limits --approve-above). ' +
    'The database role that planned the batch, and the role that asked for the cap, cannot approve it. ' +
    'On a terminal, the command shows the plan and prompts. Without a prompt, --plan and --max-total are the consent. The command sends nothing and needs no key.',
  args: { batch: batchArgument },
  flags: {
    profile: profileOfBatch,
    maxTotal: {
      ...maxTotal,
      help: 'cap to approve, in the wallet currency (default: the cap that was asked for)',
    },
    plan: {
      takes: '<id>',
      help: 'id of the plan to approve, as batch show prints it',
      parse: (text) => (isPlanId(text) ? text : undefined),
      allowed: 'the id of a plan, as batch show prints it',
    },
    for: {
      takes: '<duration>',
      help: 'how long the approval is valid (default: 24h)',
      parse: timeout.parse,
      allowed: 'a duration such as 4h or 90m, up to 30d',
      default: dayMs,
    },
    yes: { short: '-y', help: 'approve without a prompt; needs --plan and --max-total' },
    ...summary,
  },
  examples: [
    'orderctl batch list --waiting',
    'orderctl batch approve orders',
    'orderctl batch approve orders --max-total 5000 --for 4h',
  ],
})

export type ApproveOptions = OptionsOf<typeof approve>

const exportSpec = defineSpec({
  summary: 'Write the codes of a batch to a file',
  act: 'reveal codes of a real account',
  description:
    'Write one line for each card, in the order of the input, with all its columns. ' +
    'Except on Windows, only you can read the file. Its extension selects the format: .html, to print, and .txt show each card with its instructions instead. If two cards have the same code, only the first gets it, and the exit code is 8.',
  args: {
    batch: batchArgument,
    file: { form: '<file>', help: 'the file to write: .csv, .xlsx, .jsonl, .html or .txt' },
  },
  flags: {
    recipient: {
      takes: '<column>',
      help: "with .html and .txt, the column that holds the recipient's name (default: recipient or name)",
    },
    force: { help: 'overwrite the file' },
    noInput,
    ...account,
  },
  examples: [
    'orderctl batch export orders codes.csv',
    'orderctl batch export orders cards.html --recipient name',
  ],
  notes: `
A line has the columns of the input, then order_id, reference, state, error,
redeem_with, code, pin, serial, link and expires. redeem_with is the value to
hand over: the code, otherwise the PIN, otherwise the link. An input column with
one of these names gets the prefix input_. The state is delivered, duplicate,
failed, open, unknown or cancelled. Only delivered cards have codes. Each row
has the same codes in every export.

A .csv file has the separator, line ends and byte order mark of the input. To
keep spreadsheets from running formulas, = + - @ or ' gets an apostrophe in
front at the start of a cell and after a separator in it, as in orderctl redeem
--export, unless the cell is a number of the input. In an .xlsx file, only the
quote and the quantity are numbers. All other cells are text, so no digit of a
code is lost.
A .html file has two cards a page. Like .txt, it has only cards with a code.
`,
})

export type ExportOptions = OptionsOf<typeof exportSpec>

const cancel = defineSpec({
  summary: 'Cancel a batch',
  act: 'cancel a batch',
  description:
    'Drop the cards that were not bought. Confirmed orders keep their cards. It sends nothing, and you cannot undo it.',
  args: { batch: batchArgument },
  flags: { profile: profileOfBatch, yes: { short: '-y', help: 'cancel without a prompt' }, ...summary },
  examples: ['orderctl batch cancel orders'],
})

export type CancelOptions = OptionsOf<typeof cancel>

export const command = defineCommand(batch, undefined, {
  plan: defineCommand(plan, async () => (await import('./plan.ts')).planBatch),
  run: defineCommand(run, async () => (await import('./run/run.ts')).runBatch),
  list: defineCommand(list, async () => (await import('./show.ts')).listBatches),
  show: defineCommand(show, async () => (await import('./show.ts')).showBatch),
  approve: defineCommand(approve, async () => (await import('./approve.ts')).approveBatch),
  export: defineCommand(exportSpec, async () => (await import('./export.ts')).exportBatch),
  cancel: defineCommand(cancel, async () => (await import('./approve.ts')).cancelBatch),
})
