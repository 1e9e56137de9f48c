// The command `orderctl profile`: the arguments, flags and help of each subcommand.

import { callFlags, noInput, oneOfWords } from '../../cli/flags.ts'
import { defineCommand, defineSpec, type Given, type OptionsOf, type Problem } from '../../cli/spec.ts'
import { parseWebhookHost, webhookHostForm } from '../../contract/limits.ts'
import { currencyForm } from '../../contract/shape.ts'
import {
  approvalForm,
  budgetForm,
  createLimitParser,
  findConflicts,
  parseApprovalRemoval,
  parseRemoval,
  removalForm,
} from './limit-values.ts'

/** `place`: where the key is kept without --key-store. */
const keyFlags = (place: string) =>
  ({
    keyStdin: { help: 'read the key from standard input; on a terminal, prompt for it' },
    keyFile: { takes: '<file>', help: 'read the key from a file', excludes: { keyStdin: '' } },
    credentialCommand: {
      takes: '<command>',
      help: "command that prints the key, such as 'op read op://shop/key'",
      excludes: { keyStdin: '', keyFile: '' },
    },
    keyStore: {
      advanced: true,
      ...oneOfWords(['file', 'system']),
      help: `keep the key in profiles.json or in the credential store of the system (default: ${place})`,
      excludes: { credentialCommand: '' },
    },
  }) as const

/** The value of --journal that means the journal of this machine. */
export const localJournal = 'local'

/** The settings of a profile, beside its key. */
const settings = {
  baseUrl: { takes: '<url>', help: 'base URL of the service' },
  account: {
    advanced: true,
    takes: '<name>',
    help: 'name of this account, if the base URL serves several',
    completes: 'accounts',
  },
  wallet: { takes: '<currency>', help: 'default wallet to pay from' },
  products: {
    takes: '<file>',
    help: 'JSON file of the products that the account sells, for the wizard and the TAB key',
    parse: (text: string, { context }: Given) => (text === '' ? '' : context.absolute(text)),
  },
  auth: {
    takes: '<how>',
    help: 'how to send the key: bearer, basic, header:NAME or query:NAME (default: bearer)',
  },
  journal: {
    takes: '<address>',
    help: 'journal that a team shares: postgres://user@host/database; local: the journal of this machine',
  },
  journalPasswordCommand: {
    advanced: true,
    takes: '<command>',
    help: 'command that prints the password of the journal',
    needs: { oneOf: ['journal'] },
  },
  allowHttp: { advanced: true, help: 'allow sending the key over plain http to another machine' },
  webhookHost: {
    advanced: true,
    takes: '<host>',
    help: 'host that may get codes by webhook without a prompt',
    parse: (text: string) => (text === '' ? '' : parseWebhookHost(text)),
    allowed: webhookHostForm,
  },
  assistants: {
    advanced: true,
    ...oneOfWords(['allow', 'refuse']),
    help: 'let an assistant in a shell spend and reveal codes, or refuse it (default: refuse)',
  },
} as const

/** The journal of this machine has no password. */
const checkJournal = ({ journal, journalPasswordCommand }: SettingOptions): readonly Problem[] => {
  if (journal !== localJournal || journalPasswordCommand === undefined) return []
  const field = '--journal-password-command'
  return [{ text: `${field} cannot be used with --journal ${localJournal}`, field }]
}

const add = defineSpec(
  {
    summary: 'Add a profile',
    act: 'change profiles',
    description:
      'Add a profile. On a terminal, orderctl prompts for missing values, and tests the profile before it saves it. A key is never a flag.',
    args: { name: { form: '[name]', completes: 'new' } },
    flags: {
      ...settings,
      ...keyFlags('system, if it has one'),
      use: { help: 'use this profile from now on' },
      noInput,
    },
    examples: [
      'orderctl profile add',
      'orderctl profile add shop --base-url https://orders.test --key-stdin',
      "orderctl profile set shop --credential-command 'op read op://shop/key'",
      'orderctl profile add eu --base-url https://orders.test --account eu',
    ],
  },
  checkJournal,
)

const set = defineSpec(
  {
    summary: 'Change settings or the key of a profile',
    act: 'change profiles',
    description:
      'Change single settings of a profile, or replace its key. The other settings stay. ' +
      'With --key-store alone, move the key. An empty account, wallet, product file or webhook host is removed. ' +
      'A base URL of another host needs the key again.',
    args: { name: { form: '<name>', completes: 'profiles-saved' } },
    flags: {
      ...settings,
      auth: { ...settings.auth, help: 'how to send the key: bearer, basic, header:NAME or query:NAME' },
      ...keyFlags('where the key is now'),
      noInput,
    },
    examples: [
      'orderctl profile set shop --key-stdin',
      'orderctl profile set shop --wallet EUR --auth header:X-Api-Key',
      'orderctl profile set shop --products products.json',
      'orderctl profile set shop --key-store system',
    ],
  },
  checkJournal,
)

const list = defineSpec({
  summary: 'List the profiles',
  description:
    'List the profiles. A star marks the account that a command would use, and a note says what selected it.',
  examples: ['orderctl profile list', 'orderctl profile list --json'],
})

const show = defineSpec({
  summary: 'Show one profile',
  description:
    'Show one profile (default: the account that a command would use, and what selected it: ORDERCTL_PROFILE, ' +
    'ORDERCTL_BASE_URL, the profile in use, or the default). It never shows the key.',
  args: { name: { form: '[name]' } },
  examples: ['orderctl profile show', 'orderctl profile show shop --json'],
})

const use = defineSpec({
  summary: 'Choose the profile to use',
  act: 'change profiles',
  description: 'Use a profile from now on. The profile sandbox is built in.',
  args: { name: { form: '<name>' } },
  examples: ['orderctl profile use shop', 'orderctl profile use sandbox'],
})

const remove = defineSpec({
  summary: 'Remove a profile',
  act: 'change profiles',
  description: 'Remove a profile from this machine. If it was in use, no profile is in use after that.',
  args: { name: { form: '<name>', completes: 'profiles-saved' } },
  examples: ['orderctl profile list', 'orderctl profile remove shop'],
})

const changesLimits = { act: 'change the limits of a real account' } as const
const listOfLimits = { ...changesLimits, repeats: true } as const

const limits = defineSpec(
  {
    summary: 'Limit what an account may spend',
    description:
      'Set budgets: what an account may spend per order, day, week or month (in UTC). Without flags, show what is left. ' +
      'A confirm that would exceed a budget is not sent (exit code 12). ' +
      'The journal keeps the budgets, so they apply to every profile of the account. ' +
      'In a journal that a team shares, --approve-above requires that another database role approves larger batches (orderctl batch approve), ' +
      'and --role limits one role beside the limits of the account.',
    args: { name: { form: '[name]' } },
    flags: {
      budget: {
        ...listOfLimits,
        takes: '<budget>',
        help: 'set a budget, such as 500USD/day or 50EUR/order',
        parse: createLimitParser('--budget'),
        allowed: budgetForm,
      },
      removeBudget: {
        ...listOfLimits,
        takes: '<period>',
        help: 'remove the budgets of order, day, week or month, or one such as USD/day',
        parse: parseRemoval,
        allowed: removalForm,
      },
      approveAbove: {
        ...listOfLimits,
        takes: '<limit>',
        help: 'require an approval of batches above a total, such as 1000USD',
        parse: createLimitParser('--approve-above'),
        allowed: approvalForm,
      },
      removeApproval: {
        ...listOfLimits,
        takes: '<currency>',
        help: 'require no approval of batches in this currency',
        parse: parseApprovalRemoval,
        allowed: currencyForm,
      },
      role: {
        takes: '<role>',
        help: 'set, remove or show the limits of one database role',
        parse: (text: string) => (text === '' ? undefined : text),
        allowed: 'a role that the database server knows',
        completes: 'actors',
      },
      prepareOnly: {
        ...changesLimits,
        help: 'the role may create orders and plan batches, but not confirm them',
        needs: { oneOf: ['role'] },
      },
      removePrepareOnly: {
        ...changesLimits,
        help: 'the role may confirm orders again',
        needs: { oneOf: ['role'] },
        excludes: { prepareOnly: '' },
      },
      noInput,
    },
    examples: [
      'orderctl profile limits shop',
      'orderctl profile limits shop --budget 500USD/day --budget 100USD/order',
      'orderctl profile limits shop --remove-budget day',
      'orderctl profile limits shop --role mia --budget 100USD/day',
    ],
  },
  ({ budget, removeBudget, approveAbove, removeApproval }) =>
    findConflicts([...budget, ...approveAbove], [...removeBudget, ...removeApproval]),
)

const test = defineSpec({
  summary: 'Test the base URL and the key',
  description: 'Make one harmless call to check that the service responds and accepts the key.',
  args: { name: { form: '[name]' } },
  flags: { noInput, ...callFlags },
  examples: ['orderctl profile test', 'orderctl profile test shop'],
})

export type AddOptions = OptionsOf<typeof add>
export type SetOptions = OptionsOf<typeof set>
export type SettingOptions = OptionsOf<{ readonly flags: typeof settings }>
export type KeyOptions = Pick<
  SetOptions,
  'keyStdin' | 'keyFile' | 'credentialCommand' | 'keyStore' | 'noInput'
>
export type ProfileShowOptions = OptionsOf<typeof show>
export type LimitsOptions = OptionsOf<typeof limits>
export type TestOptions = OptionsOf<typeof test>

const profile = defineSpec({
  guide: 'accounts',
  description:
    'Manage profiles: named accounts that you order with. The sandbox is the default until you add a profile.',
  examples: ['orderctl profile list', 'orderctl profile use shop', 'orderctl profile use sandbox'],
})

export const command = defineCommand(profile, undefined, {
  add: defineCommand(add, async () => (await import('./save.ts')).addProfile),
  set: defineCommand(set, async () => (await import('./save.ts')).setProfile),
  list: defineCommand(list, async () => (await import('./run.ts')).listProfiles),
  show: defineCommand(show, async () => (await import('./run.ts')).showProfile),
  use: defineCommand(use, async () => (await import('./run.ts')).useProfile),
  remove: defineCommand(remove, async () => (await import('./run.ts')).removeProfile),
  limits: defineCommand(limits, async () => (await import('./limits.ts')).changeLimits),
  test: defineCommand(test, async () => (await import('./run.ts')).testProfile),
})
