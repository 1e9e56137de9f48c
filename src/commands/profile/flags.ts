// The flags of `orderctl profile`.
import type { Command, OptionValues } from '@commander-js/extra-typings'
import { collect, type FlagsOf, noInputFlag, withBasics, withSession } from '../shared/flags.ts'

const withKey = <Args extends unknown[], Flags extends OptionValues>(
  command: Command<Args, Flags>,
  place: string,
) =>
  command
    .option('--key-stdin', 'read the key from standard input')
    .option('--key-file <file>', 'read the key from a file')
    .option('--credential-command <command>', "command that prints the key, such as 'op read op://shop/key'")
    .option(
      '--key-store <file|system>',
      `keep the key in profiles.json or in the credential store of the system (default: ${place})`,
    )

export const defineAddFlags = (command: Command) =>
  withBasics(
    withKey(
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
        .option(
          '--auth <how>',
          'how to send the key: bearer, basic, header:NAME or query:NAME (default: bearer)',
        ),
      'system, if it has one',
    )
      .option(
        '--journal <address>',
        'journal that a team shares: postgres://user@host/database; local: the journal of this machine',
      )
      .option('--journal-password-command <command>', 'command that prints the password of the journal')
      .option('--allow-http', 'allow sending the key over plain http to another machine')
      .option(
        '--replace',
        'replace a profile of the same name; it keeps its journal unless you pass --journal',
      )
      .option('--use', 'use this profile from now on')
      .option(...noInputFlag),
  )

export const defineLimitsFlags = (command: Command) =>
  withBasics(
    command
      .summary('Limit what an account may spend')
      .description(
        'Set budgets: what an account may spend per order, day, week or month. Without flags, show what is left of them. ' +
          'A confirm that would exceed a budget is not sent (exit code 12). Days, ISO weeks and months are in UTC. ' +
          'The journal keeps the budgets, so they apply to every profile of the account. ' +
          'In a journal that a team shares, --approve-above requires that another database role approves larger batches (orderctl batch approve).',
      )
      .argument('[name]')
      .option(
        '--budget <budget>',
        'set a budget, such as 500USD/day or 50EUR/order; can be repeated',
        collect,
      )
      .option(
        '--remove-budget <period>',
        'remove the budgets of order, day, week or month, or one such as USD/day; can be repeated',
        collect,
      )
      .option(
        '--approve-above <limit>',
        'require an approval of batches above a total, such as 1000USD; can be repeated',
        collect,
      )
      .option(
        '--remove-approval <currency>',
        'require no approval of batches in this currency; can be repeated',
        collect,
      )
      .option(...noInputFlag),
  )

export const defineTestFlags = (command: Command) =>
  withBasics(
    withSession(
      command
        .summary('Test the base URL and the key')
        .description('Make one harmless call to check that the service answers and accepts the key.')
        .argument('[name]')
        .option(...noInputFlag),
    ),
  )

export const defineSetKeyFlags = (command: Command) =>
  withBasics(
    withKey(
      command
        .summary('Replace or move the key of a profile')
        .description(
          'Replace the key of a profile; its other settings stay. With --key-store alone, move the key.',
        )
        .argument('<name>'),
      'where the key is now',
    ).option(...noInputFlag),
  )

export type AddFlags = FlagsOf<typeof defineAddFlags>
export type SetKeyFlags = FlagsOf<typeof defineSetKeyFlags>
export type KeyFlags = Pick<SetKeyFlags, 'keyStdin' | 'keyFile' | 'credentialCommand' | 'keyStore'>
export type LimitsFlags = FlagsOf<typeof defineLimitsFlags>
export type TestFlags = FlagsOf<typeof defineTestFlags>
