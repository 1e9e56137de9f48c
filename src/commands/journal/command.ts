// The command `orderctl journal`: its help, and what it runs.
import { type CommandEntry, examples, withBasics } from '../shared/flags.ts'
import { defineCopyFlags, defineMigrateFlags, defineStatusFlags } from './flags.ts'

export const journalCommand: CommandEntry = {
  name: 'journal',
  summary: 'Show, create or copy the journal, on this machine or of a team',
  group: 'Accounts',
  define: (command, context, setExit) => {
    withBasics(
      command.description(
        'Show, create or copy the journal: the record of every order. By default, it is a file on this machine. A team can share a journal in PostgreSQL: set ORDERCTL_JOURNAL, or use orderctl profile add --journal.',
      ),
    )
      .helpCommand(false)
      .addHelpText(
        ...examples('orderctl journal status', 'orderctl journal migrate', 'orderctl help environment'),
      )
      .action(() => command.outputHelp())

    defineStatusFlags(command.command('status'))
      .addHelpText(...examples('orderctl journal status', 'orderctl journal status --profile shop --json'))
      .action(async (flags) => {
        const { showStatus } = await import('./status.ts')
        setExit(await showStatus(context, flags))
      })
    defineMigrateFlags(command.command('migrate'))
      .addHelpText(
        ...examples(
          'ORDERCTL_JOURNAL=postgres://orderctl@db.example.com/orders orderctl journal migrate --grant ana --grant ben',
        ),
      )
      .action(async (flags) => {
        const { migrateJournal } = await import('./migrate.ts')
        setExit(await migrateJournal(context, flags))
      })
    defineCopyFlags(command.command('copy'))
      .addHelpText(
        ...examples(
          'orderctl journal copy --from ~/.local/state/orderctl/journal.db',
          'orderctl journal copy --from laptop/journal.db --profile shop --json',
        ),
      )
      .action(async (flags) => {
        const { copyFile } = await import('./copy.ts')
        setExit(await copyFile(context, flags))
      })
  },
}
