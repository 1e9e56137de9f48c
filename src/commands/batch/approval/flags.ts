// The flags of `orderctl batch approve`.
import type { Command } from '@commander-js/extra-typings'
import { type FlagsOf, noInputFlag, withBasics, withOutput } from '../../shared/flags.ts'
import { batchForms, summaryOutput } from '../flags.ts'

export const defineApproveFlags = (command: Command) =>
  withBasics(
    withOutput(
      command
        .summary('Approve a batch of somebody else')
        .description(
          'Allow a batch to spend up to a cap that needs an approval (orderctl profile limits --approve-above). ' +
            'The database role that planned the batch, and the role that asked for the cap, cannot approve it. ' +
            'On a terminal, the command shows the plan and prompts. Without a prompt, --plan and --max-total are the consent. The command sends nothing and needs no key.',
        )
        .argument('<batch>', batchForms)
        .option('--profile <name>', 'profile of the batch (default: the profile in use)')
        .option(
          '--max-total <amount>',
          'cap to approve, in the wallet currency (default: the cap that was asked for)',
        )
        .option('--plan <id>', 'id of the plan to approve, as batch show prints it')
        .option('--for <duration>', 'how long the approval is valid (default: 24h)')
        .option('-y, --yes', 'approve without a prompt; needs --plan and --max-total')
        .option(...noInputFlag),
      ...summaryOutput,
    ),
  )

export type ApproveFlags = FlagsOf<typeof defineApproveFlags>
