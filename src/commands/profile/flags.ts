// The flags and help of `orderctl profile`.
import { type CommandEntry, examples, withBasics, withSession } from '../shared/flags.ts'

export const profileCommand: CommandEntry = {
  name: 'profile',
  summary: 'manage the accounts that you order with',
  fill: (command, context, setExit) => {
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

    withBasics(
      command
        .command('add')
        .summary('add a profile')
        .description(
          'Add a profile. On a terminal, orderctl prompts for missing values. A key is never a flag.',
        )
        .argument('<name>')
        .option('--base-url <url>', 'base URL of the service')
        .option('--account <name>', 'name of this account, if the base URL serves several')
        .option('--wallet <currency>', 'default wallet to pay from')
        .option('--products <file>', 'JSON file of the products that it sells, for prompts and the TAB key')
        .option('--auth <how>', 'how to send the key: bearer, basic, header:NAME or query:NAME', 'bearer')
        .option('--key-stdin', 'read the key from standard input')
        .option('--key-file <file>', 'read the key from a file')
        .option('--credential-command <command>', "run this when the key is needed: 'op read op://shop/key'")
        .option('--allow-http', 'allow plain http to another machine')
        .option('--replace', 'replace a profile of the same name')
        .option('--use', 'put it in use')
        .option('--no-input', 'never prompt'),
    )
      .addHelpText(
        ...examples(
          'orderctl profile add shop --base-url https://orders.example.com --wallet USD --key-stdin < key.txt',
          "orderctl profile add shop --base-url https://orders.example.com --credential-command 'op read op://shop/key'",
          'orderctl profile add eu --base-url https://orders.example.com --account eu --key-file eu.key --use',
          'orderctl profile add shop --replace --base-url https://orders.example.com --products products.json',
        ),
      )
      .action(async (name: string, flags) => {
        const { addProfile: add } = await import('./run.ts')
        setExit(await add(context, name, flags))
      })
    withBasics(command.command('list').summary('list the profiles').description('List the profiles.'))
      .addHelpText(...examples('orderctl profile list', 'orderctl profile list --json'))
      .action(async (flags) => {
        const { listProfiles } = await import('./run.ts')
        setExit(await listProfiles(context, flags))
      })
    withBasics(
      command
        .command('show')
        .summary('show one profile')
        .description('Show one profile (default: the one in use). Never its key.')
        .argument('[name]'),
    )
      .addHelpText(...examples('orderctl profile show', 'orderctl profile show shop --json'))
      .action(async (name: string | undefined, flags) => {
        const { showProfile } = await import('./run.ts')
        setExit(await showProfile(context, name, flags))
      })
    withBasics(
      command
        .command('use')
        .summary('put a profile in use')
        .description('Put a profile in use. The profile sandbox is built in.')
        .argument('<name>'),
    )
      .addHelpText(...examples('orderctl profile use shop', 'orderctl profile use sandbox'))
      .action(async (name: string, flags) => {
        const { useProfile } = await import('./run.ts')
        setExit(await useProfile(context, name, flags))
      })
    withBasics(
      command
        .command('remove')
        .summary('remove a profile')
        .description('Remove a profile from this machine. If it was in use, no profile is in use afterwards.')
        .argument('<name>'),
    )
      .addHelpText(...examples('orderctl profile list', 'orderctl profile remove shop'))
      .action(async (name: string, flags) => {
        const { removeProfile } = await import('./run.ts')
        setExit(await removeProfile(context, name, flags))
      })
    withBasics(
      withSession(
        command
          .command('test')
          .summary('test the base URL and the key')
          .description('Make one harmless call, to see if the service answers and accepts the key.')
          .argument('[name]'),
      ),
    )
      .addHelpText(...examples('orderctl profile test', 'orderctl profile test shop'))
      .action(async (name: string | undefined, flags) => {
        const { testProfile } = await import('./run.ts')
        setExit(await testProfile(context, name, flags))
      })
  },
}
