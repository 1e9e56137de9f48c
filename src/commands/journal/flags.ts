// The flags of `orderctl journal`.
import type { Command } from '@commander-js/extra-typings'
import { collect, type FlagsOf, noInputFlag, withBasics } from '../shared/flags.ts'

const profileFlag = [
  '--profile <name>',
  'profile whose journal to use (default: ORDERCTL_JOURNAL, or the journal of the profile in use)',
] as const

export const defineStatusFlags = (command: Command) =>
  withBasics(
    command
      .summary('Show where the journal is, its version and who uses it')
      .description(
        'Check the journal, as orderctl doctor does: where it is, its version, its size, who uses it, and the outcomes that this machine has not recorded in it yet. It changes nothing. The exit code is 9 if there is a problem.',
      )
      .option(...profileFlag)
      .option(...noInputFlag),
  )

export const defineMigrateFlags = (command: Command) =>
  withBasics(
    command
      .summary('Create the tables of a shared journal')
      .description(
        'Create the tables of a shared journal in an empty database, for all its users. Run it again at any time: it changes nothing if the tables exist. Only the owner of the tables can use --grant.',
      )
      .option(...profileFlag)
      .option(
        '--grant <role>',
        'give this role of the server the permissions that orderctl needs; can be repeated',
        collect,
      )
      .option(
        '--grant-limits <role>',
        'like --grant, and let the role change budgets and the total that needs an approval; can be repeated',
        collect,
      )
      .option(...noInputFlag),
  )

export const defineCopyFlags = (command: Command) =>
  withBasics(
    command
      .summary('Copy the journal of a machine into a shared journal')
      .description(
        'Copy the orders, batches, reveals and limits of a journal file into a shared journal. The file does not change. Run it again at any time: it copies what is new, and nothing twice. If a confirm may have spent, nothing is copied: run orderctl reconcile first. The orders of the sandbox are not copied.',
      )
      .requiredOption('--from <file>', 'journal to copy, such as ~/.local/state/orderctl/journal.db')
      .option(...profileFlag)
      .option(...noInputFlag),
  )

export type StatusFlags = FlagsOf<typeof defineStatusFlags>
export type MigrateFlags = FlagsOf<typeof defineMigrateFlags>
export type CopyFlags = FlagsOf<typeof defineCopyFlags>
