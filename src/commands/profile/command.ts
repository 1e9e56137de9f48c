// The command `orderctl profile`: its help, and what it runs.
import { type CommandEntry, examples, withBasics } from '../shared/flags.ts'
import { defineAddFlags, defineLimitsFlags, defineSetKeyFlags, defineTestFlags } from './flags.ts'

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
    defineSetKeyFlags(command.command('set-key'))
      .addHelpText(
        ...examples(
          'orderctl profile set-key shop --key-file new.key',
          'orderctl profile set-key shop --key-store system',
        ),
      )
      .action(async (name, flags) => {
        const { setKey } = await import('./set-key.ts')
        setExit(await setKey(context, name, flags))
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
        .description('Show one profile (default: the profile in use). It never shows the key.')
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
        .description('Remove a profile from this machine. If it was in use, no profile is in use after that.')
        .argument('<name>'),
    )
      .addHelpText(...examples('orderctl profile list', 'orderctl profile remove shop'))
      .action(async (name, flags) => {
        const { removeProfile } = await import('./run.ts')
        setExit(await removeProfile(context, name, flags))
      })
    defineLimitsFlags(command.command('limits'))
      .addHelpText(
        ...examples(
          'orderctl profile limits shop',
          'orderctl profile limits shop --budget 500USD/day --budget 100USD/order',
          'orderctl profile limits shop --remove-budget day',
        ),
      )
      .action(async (name, flags) => {
        const { changeLimits } = await import('./limits.ts')
        setExit(await changeLimits(context, name, flags))
      })
    defineTestFlags(command.command('test'))
      .addHelpText(...examples('orderctl profile test', 'orderctl profile test shop'))
      .action(async (name, flags) => {
        const { testProfile } = await import('./test.ts')
        setExit(await testProfile(context, name, flags))
      })
  },
}
