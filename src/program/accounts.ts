// profile and sandbox: their flags and help.
import { type CommandEntry, examples, withBasics, withSession } from './shared.ts'

export const profileCommand: CommandEntry = {
  name: 'profile',
  summary: 'the accounts that orders are placed with',
  fill: (command, context, setExit) => {
    withBasics(
      command.description('The accounts that orders are placed with: add, list, show, use, remove, test.'),
    )
      .helpCommand(false)
      .addHelpText(
        ...examples('orderctl profile list', 'orderctl profile use shop', 'orderctl profile use sandbox'),
      )
      .action(() => command.outputHelp())

    withBasics(
      command
        .command('add')
        .summary('add an account')
        .description('Adds an account. On a terminal it asks for what is missing. A key is never a flag.')
        .argument('<name>')
        .option('--base-url <url>', 'where the service is')
        .option('--wallet <currency>', 'the wallet to pay from where none is named')
        .option('--products <file>', 'a JSON file of what it sells, for questions and the TAB key')
        .option('--auth <how>', 'how the key is sent: bearer, basic, header:NAME or query:NAME', 'bearer')
        .option('--key-stdin', 'read the key from standard input')
        .option('--key-file <file>', 'read the key from a file')
        .option('--credential-command <command>', "run this when the key is needed: 'op read op://shop/key'")
        .option('--allow-http', 'allow plain http to another machine')
        .option('--replace', 'replace an account of the same name')
        .option('--use', 'use it from now on')
        .option('--no-input', 'never ask'),
    )
      .addHelpText(
        ...examples(
          'orderctl profile add shop --base-url https://orders.example.com --wallet USD --key-stdin < key.txt',
          "orderctl profile add shop --base-url https://orders.example.com --credential-command 'op read op://shop/key'",
          'orderctl profile add shop --replace --base-url https://orders.example.com --products products.json',
        ),
      )
      .action(async (name: string, flags) => {
        const { addProfile: add } = await import('../commands/profile.ts')
        setExit(await add(context, name, flags))
      })
    withBasics(command.command('list').summary('list the accounts').description('Lists the accounts.'))
      .addHelpText(...examples('orderctl profile list', 'orderctl profile list --json'))
      .action(async (flags) => {
        const { listProfiles } = await import('../commands/profile.ts')
        setExit(await listProfiles(context, flags))
      })
    withBasics(
      command
        .command('show')
        .summary('show one account')
        .description('Shows one account, the one in use where none is named. Never its key.')
        .argument('[name]'),
    )
      .addHelpText(...examples('orderctl profile show', 'orderctl profile show shop --json'))
      .action(async (name: string | undefined, flags) => {
        const { showProfile } = await import('../commands/profile.ts')
        setExit(await showProfile(context, name, flags))
      })
    withBasics(
      command
        .command('use')
        .summary('use an account from now on')
        .description('Uses an account from now on; sandbox is built in.')
        .argument('<name>'),
    )
      .addHelpText(...examples('orderctl profile use shop', 'orderctl profile use sandbox'))
      .action(async (name: string, flags) => {
        const { useProfile } = await import('../commands/profile.ts')
        setExit(await useProfile(context, name, flags))
      })
    withBasics(
      command
        .command('remove')
        .summary('remove an account')
        .description('Removes an account from this machine.')
        .argument('<name>'),
    )
      .addHelpText(...examples('orderctl profile list', 'orderctl profile remove shop'))
      .action(async (name: string, flags) => {
        const { removeProfile } = await import('../commands/profile.ts')
        setExit(await removeProfile(context, name, flags))
      })
    withBasics(
      withSession(
        command
          .command('test')
          .summary('see whether address and key work')
          .description('Makes one harmless call: says whether the address answers and the key is accepted.')
          .argument('[name]'),
      ),
    )
      .addHelpText(...examples('orderctl profile test', 'orderctl profile test shop'))
      .action(async (name: string | undefined, flags) => {
        const { testProfile } = await import('../commands/profile.ts')
        setExit(await testProfile(context, name, flags))
      })
  },
}

export const sandboxCommand: CommandEntry = {
  name: 'sandbox',
  summary: 'what the built-in service sells and holds',
  fill: (command, context, setExit) => {
    withBasics(
      command.description(
        'Shows what the built-in service sells and holds. Orders there are for trying: no money moves.',
      ),
    )
      .helpCommand(false)
      .addHelpText(...examples('orderctl sandbox', 'orderctl sandbox advance 11m', 'orderctl sandbox reset'))
      .action(async (flags) => {
        const { showSandbox } = await import('../commands/sandbox.ts')
        setExit(await showSandbox(context, flags))
      })
    withBasics(
      command
        .command('reset')
        .summary('back to its first day')
        .description('Puts the sandbox back to its first day.'),
    )
      .addHelpText(...examples('orderctl sandbox reset', 'orderctl sandbox reset --json'))
      .action(async (flags) => {
        const { resetSandbox } = await import('../commands/sandbox.ts')
        setExit(await resetSandbox(context, flags))
      })
    withBasics(
      command
        .command('advance')
        .summary('put its clock forward')
        .description('Puts the clock of the sandbox forward: 30s, 11m, 2h.')
        .argument('<duration>'),
    )
      .addHelpText(...examples('orderctl sandbox advance 11m', 'orderctl sandbox advance 30s --json'))
      .action(async (duration: string, flags) => {
        const { advanceSandbox } = await import('../commands/sandbox.ts')
        setExit(await advanceSandbox(context, duration, flags))
      })
  },
}
