// The command `orderctl journal`: its flags and help.
import { noInput } from '../../cli/flags.ts'
import { defineCommand, defineSpec, type OptionsOf } from '../../cli/spec.ts'

const profile = {
  takes: '<name>',
  help: 'profile whose journal to use (default: ORDERCTL_JOURNAL, or the journal of the profile in use)',
} as const

const journal = defineSpec({
  guide: 'journal',
  description:
    'Show, create, copy or back up the journal: the record of every order. By default, it is a file on this machine. A team can share a journal in PostgreSQL: set ORDERCTL_JOURNAL, or use orderctl profile add --journal.',
  examples: ['orderctl journal status', 'orderctl journal backup journal.db'],
})

const status = defineSpec({
  summary: 'Show where the journal is, its version and who uses it',
  description:
    'Check the journal, as orderctl doctor does: where it is, its version, its size, who uses it, and the outcomes that this machine has not recorded in it yet. It changes nothing. The exit code is 9 if there is a problem.',
  flags: { profile, noInput },
  examples: ['orderctl journal status', 'orderctl journal status --profile shop --json'],
})

const migrate = defineSpec({
  advanced: true,
  summary: 'Create the tables of a shared journal',
  description:
    'Create the tables of a shared journal in an empty database, for all its users. Run it again at any time: it changes nothing if the tables exist. Only the owner of the tables can use --grant.',
  flags: {
    profile,
    grant: {
      act: 'give permissions in a journal',
      takes: '<role>',
      help: 'give this role of the server the permissions that orderctl needs',
      repeats: true,
    },
    grantLimits: {
      act: 'give permissions in a journal',
      takes: '<role>',
      help: 'like --grant, and let the role change budgets and the total that needs an approval',
      repeats: true,
    },
    noInput,
  },
  examples: ['ORDERCTL_JOURNAL=postgres://db/orders orderctl journal migrate --grant ana'],
})

const copy = defineSpec({
  advanced: true,
  summary: 'Copy the journal of a machine into a shared journal',
  description:
    'Copy the journal of this machine to a shared journal: its orders, batches, reveals and limits. orderctl first blocks purchases with the file. Then it copies everything in one transaction. Afterwards, this machine buys only with the shared journal. If the copy is interrupted, run it again: nothing is copied twice. If a confirm may have spent money, nothing is copied: run orderctl reconcile first. Sandbox orders are not copied.',
  flags: { undo: { help: 'undo an incomplete copy, and buy with the file again' }, profile, noInput },
  examples: [
    'ORDERCTL_JOURNAL=postgres://db/orders orderctl journal copy',
    'ORDERCTL_JOURNAL=postgres://db/orders orderctl journal copy --undo',
  ],
})

const backup = defineSpec({
  summary: 'Back up the journal of this machine',
  description:
    'Make a complete copy of the journal file of this machine, while other commands use it. The machine file is copied to FILE.machine: you need it on a new machine, or if machine.db is lost. Both files are readable only by you. It never overwrites a file. For a shared journal, use pg_dump.',
  args: { file: { form: '<file>', help: 'the new file' } },
  flags: { profile },
  examples: [
    'orderctl journal backup journal-2026-11-26.db',
    'orderctl journal backup /backup/journal.db --json',
  ],
  notes: `
To restore the journal, and to move to a new machine, see docs/journal.md.
`,
})

const forget = defineSpec({
  advanced: true,
  summary: 'Continue with a restored, replaced or different journal',
  act: 'forget a journal',
  description:
    'Let this machine spend again with a restored, replaced or different journal. It forgets which accounts used the journal, its newest call and its saved outcomes. If its orders were copied to a shared journal that is lost, --reason lets this machine buy with the file again. First run orderctl reconcile. Ask the support of the service for the orders since the backup, and compare them with orderctl list: orders that the journal does not have can be bought again. In a script, the command itself is the consent.',
  flags: {
    profile,
    reason: { takes: '<text>', help: 'why the shared journal cannot be used (recorded)' },
    yes: { short: '-y', help: 'forget without a prompt' },
    noInput,
  },
  examples: ['orderctl journal forget', 'orderctl journal forget --profile shop --yes'],
})

export type BackupOptions = OptionsOf<typeof backup>
export type ForgetOptions = OptionsOf<typeof forget>
export type StatusOptions = OptionsOf<typeof status>
export type MigrateOptions = OptionsOf<typeof migrate>
export type CopyOptions = OptionsOf<typeof copy>

export const command = defineCommand(journal, undefined, {
  status: defineCommand(status, async () => (await import('./run.ts')).showStatus),
  migrate: defineCommand(migrate, async () => (await import('./run.ts')).migrateJournal),
  copy: defineCommand(copy, async () => (await import('./run.ts')).copyFile),
  backup: defineCommand(backup, async () => (await import('./run.ts')).backUpJournal),
  forget: defineCommand(forget, async () => (await import('./run.ts')).forgetJournal),
})
