// The command `orderctl batch`: its help, and what it runs.

import { type CommandEntry, examples, withBasics } from '../shared/flags.ts'
import { defineApproveFlags } from './approval/flags.ts'
import {
  defineCancelFlags,
  defineExportFlags,
  defineListFlags,
  definePlanFlags,
  defineRunFlags,
  defineShowFlags,
} from './flags.ts'

const exportNotes = `
A line has the columns of the input, then order_id, reference, state, error,
code, pin, serial, link and expires. An input column with one of these names
gets the prefix input_. The state is delivered, failed, open, unknown or
cancelled. Only delivered cards have codes. Each row has the same codes in every
export.

To keep spreadsheets from running formulas, a .csv cell that begins with = + - @
' or a tab or line break gets an apostrophe in front, as in orderctl redeem
--export. A .html file has two cards a page, and only cards with a code.
`

export const batchCommand: CommandEntry = {
  name: 'batch',
  summary: 'Buy hundreds of cards from a file, and export them',
  group: 'Orders',
  define: (command, context, setExit) => {
    withBasics(
      command.description(
        'Buy many cards from a file. orderctl packs the rows into orders, buys the cards, and writes the codes next to your columns. ' +
          'You can stop a batch at any time and run it again. It never buys a row twice.',
      ),
    )
      .helpCommand(false)
      .addHelpText(
        ...examples(
          'orderctl batch plan orders.csv --wallet USD',
          'orderctl batch run orders.csv --wallet USD --max-total 5000',
          'orderctl batch export orders codes.csv',
        ),
      )
      .action(() => command.outputHelp())

    definePlanFlags(command.command('plan'))
      .addHelpText(
        ...examples(
          'orderctl batch plan orders.csv --wallet USD',
          'orderctl batch plan orders.csv --wallet USD --map quote=Amount --map sku=Article',
          'orderctl batch plan --product GAME-US:25x40 --wallet USD --name team-gifts',
        ),
      )
      .action(async (file, flags) => {
        const { planBatch } = await import('./plan.ts')
        setExit(await planBatch(context, file, flags))
      })
    defineRunFlags(command.command('run'))
      .addHelpText(
        ...examples(
          'orderctl batch run orders.csv --wallet USD --max-total 5000',
          'orderctl batch run orders --parallel 8',
          'orderctl batch run orders --worker',
          'orderctl batch run orders --max-total 5000 --wait-approval 2h',
          'orderctl batch run orders --retry-failed',
        ),
      )
      .action(async (input, flags) => {
        const { runBatch } = await import('./run/run.ts')
        setExit(await runBatch(context, input, flags))
      })
    defineListFlags(command.command('list'))
      .addHelpText(
        ...examples('orderctl batch list', 'orderctl batch list --json', 'orderctl batch list --waiting'),
      )
      .action(async (flags) => {
        const { listBatches } = await import('./list.ts')
        setExit(await listBatches(context, flags))
      })
    defineShowFlags(command.command('show'))
      .addHelpText(
        ...examples(
          'orderctl batch show orders',
          'orderctl batch show orders --rows --json',
          'orderctl batch show @last --watch',
        ),
      )
      .action(async (batch, flags) => {
        const { showBatch } = await import('./show.ts')
        setExit(await showBatch(context, batch, flags))
      })
    defineApproveFlags(command.command('approve'))
      .addHelpText(
        ...examples(
          'orderctl batch list --waiting',
          'orderctl batch approve orders',
          'orderctl batch approve orders --max-total 5000 --for 4h',
        ),
      )
      .action(async (batch, flags) => {
        const { approveBatch } = await import('./approval/approve.ts')
        setExit(await approveBatch(context, batch, flags))
      })
    defineExportFlags(command.command('export'))
      .addHelpText(
        ...examples(
          'orderctl batch export orders codes.csv',
          'orderctl batch export orders cards.html --recipient name',
        ),
      )
      .addHelpText('after', exportNotes)
      .action(async (batch, file, flags) => {
        const { exportBatch } = await import('./export/run.ts')
        setExit(await exportBatch(context, { batch, file }, flags))
      })
    defineCancelFlags(command.command('cancel'))
      .addHelpText(...examples('orderctl batch cancel orders'))
      .action(async (batch, flags) => {
        const { cancelBatch } = await import('./cancel.ts')
        setExit(await cancelBatch(context, batch, flags))
      })
  },
}
