// The flags and help of `orderctl profile` and its subcommands.
import type { Command } from '@commander-js/extra-typings'
import {
  type CommandEntry,
  examples,
  type FlagsOf,
  noInputFlag,
  withBasics,
  withSession,
} from '../shared/flags.ts'

const defineAddFlags = (command: Command) =>
  withBasics(
    command
      .summary('Add a profile')
      .description(
        'Add a profile. On a terminal, orderctl prompts for missing values. A key is never a flag.',
      )
      .argument('<name>')
      .option('--base-url <url>', 'base URL of the service')
      .option('--account <name>', 'name of this account, if the base URL serves several')
      .option('--wallet <currency>', 'default wallet to pay from')
      .option('--products <file>', 'JSON file of the products it sells, for prompts and the TAB key')
      .option('--auth <how>', 'how to send the key: bearer, basic, header:NAME or query:NAME', 'bearer')
      .option('--key-stdin', 'read the key from standard input')
      .option('--key-file <file>', 'read the key from a file')
      .option('--credential-command <command>', "run this when the key is needed: 'op read op://shop/key'")
      .option('--allow-http', 'allow sending the key over plain http to another machine')
      .option('--replace', 'replace a profile of the same name')
      .option('--use', 'use this profile from now on')
      .option(...noInputFlag),
  )

const defineTestFlags = (command: Command) =>
  withBasics(
    withSession(
      command
        .summary('Test the base URL and the key')
        .description('Make one harmless call to see if the service answers and accepts the key.')
        .argument('[name]'),
    ),
  )

export type AddFlags = FlagsOf<typeof defineAddFlags>
export type TestFlags = FlagsOf<typeof defineTestFlags>

export const profileCommand: CommandEntry = {
  name: 'profile',
  summary: 'Add, list, test and choose the accounts you order with',
  group: 'Accounts',
  define: (command, context, setExit) => {
    withBasics(
      command.description(
        'Manage profiles: named accounts that you order with. The sandbox is the default until you add a profile.',
      ),
    )
      .helpCommand(false)
      .addHelpText(
        ...examples('orderctl profile list', 'orderctl profile use shop', 'orderctl profile use sandbox'),
      )
      .action(() => command.outputHelp())

    defineAddFlags(command.command('add'))
      .addHelpText(
        ...examples(
          'orderctl profile add shop --base-url https://orders.example.com --wallet USD --key-stdin < key.txt',
          "orderctl profile add shop --base-url https://orders.example.com --credential-command 'op read op://shop/key'",
          'orderctl profile add eu --base-url https://orders.example.com --account eu --key-file eu.key --use',
          'orderctl profile add shop --replace --base-url https://orders.example.com --products products.json',
        ),
      )
      .action(async (name, flags) => {
        const { addProfile } = await import('./add.ts')
        setExit(await addProfile(context, name, flags))
      })
    withBasics(command.command('list').summary('List the profiles').description('List the profiles.'))
      .addHelpText(...examples('orderctl profile list', 'orderctl profile list --json'))
      .action(async (flags) => {
        const { listProfiles } = await import('./run.ts')
        setExit(await listProfiles(context, flags))
      })
    withBasics(
      command
        .command('show')
        .summary('Show one profile')
        .description('Show one profile (default: the one in use). It never shows the key.')
        .argument('[name]'),
    )
      .addHelpText(...examples('orderctl profile show', 'orderctl profile show shop --json'))
      .action(async (name, flags) => {
        const { showProfile } = await import('./run.ts')
        setExit(await showProfile(context, name, flags))
      })
    withBasics(
      command
        .command('use')
        .summary('Choose the profile to use')
        .description('Use a profile from now on. The profile sandbox is built in.')
        .argument('<name>'),
    )
      .addHelpText(...examples('orderctl profile use shop', 'orderctl profile use sandbox'))
      .action(async (name, flags) => {
        const { useProfile } = await import('./run.ts')
        setExit(await useProfile(context, name, flags))
      })
    withBasics(
      command
        .command('remove')
        .summary('Remove a profile')
        .description('Remove a profile from this machine. If it was in use, no profile is in use afterwards.')
        .argument('<name>'),
    )
      .addHelpText(...examples('orderctl profile list', 'orderctl profile remove shop'))
      .action(async (name, flags) => {
        const { removeProfile } = await import('./run.ts')
        setExit(await removeProfile(context, name, flags))
      })
    defineTestFlags(command.command('test'))
      .addHelpText(...examples('orderctl profile test', 'orderctl profile test shop'))
      .action(async (name, flags) => {
        const { testProfile } = await import('./test.ts')
        setExit(await testProfile(context, name, flags))
      })
  },
}
