// The flags of `orderctl profile`.
import type { Command } from '@commander-js/extra-typings'
import { type FlagsOf, noInputFlag, withBasics, withSession } from '../shared/flags.ts'

export const defineAddFlags = (command: Command) =>
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
      .option(
        '--products <file>',
        'JSON file of the products that the account sells, for the wizard and the TAB key',
      )
      .option('--auth <how>', 'how to send the key: bearer, basic, header:NAME or query:NAME', 'bearer')
      .option('--key-stdin', 'read the key from standard input')
      .option('--key-file <file>', 'read the key from a file')
      .option(
        '--credential-command <command>',
        "command that prints the key, such as 'op read op://shop/key'",
      )
      .option('--journal <address>', 'journal that a team shares: postgres://user@host/database')
      .option('--journal-password-command <command>', 'command that prints the password of the journal')
      .option('--allow-http', 'allow sending the key over plain http to another machine')
      .option('--replace', 'replace a profile of the same name')
      .option('--use', 'use this profile from now on')
      .option(...noInputFlag),
  )

export const defineTestFlags = (command: Command) =>
  withBasics(
    withSession(
      command
        .summary('Test the base URL and the key')
        .description('Make one harmless call to check that the service answers and accepts the key.')
        .argument('[name]'),
    ),
  )

export type AddFlags = FlagsOf<typeof defineAddFlags>
export type TestFlags = FlagsOf<typeof defineTestFlags>
