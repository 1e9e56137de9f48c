// The man page orderctl(1): all commands, the files, and where to read on.
import { topics } from '../../src/cli/help.ts'
import { exitCodes } from '../../src/exit-codes.ts'
import type { Documented } from '../command-tree.ts'
import { nameCommandPage, renderNameSection } from './command-page.ts'
import { entry, heading, literal, paragraphs, references } from './roff.ts'

const description = `orderctl orders gift cards and vouchers from an order service. An order is created, confirmed once, processed, and then fetched with its codes.

orderctl never buys twice, never loses an order, and never shows a code unless you ask. It writes each order to a journal before it sends anything.

Until you add an account, orderctl uses a sandbox: a complete order service that works offline and uses no real money.`

const files: readonly (readonly [name: string, meaning: string])[] = [
  ['~/.config/orderctl/profiles.json', 'the accounts and their keys'],
  ['~/.local/state/orderctl/journal.db', 'the journal: each order, and who had its codes revealed'],
  ['~/.local/state/orderctl/forward', 'webhook deliveries that wait to be forwarded. They may contain codes'],
  ['~/.local/state/orderctl/spool', 'outcomes and reveals that a shared journal does not have yet'],
  ['~/.local/state/orderctl/sandbox.db', 'the orders of the sandbox'],
  ['~/.cache/orderctl', 'compiled code. You can delete it at any time'],
]

const examples = `orderctl create --product GAME-US:25x2 --wallet USD --confirm --watch
orderctl redeem @last --reveal
orderctl profile add shop`

export const renderProgramPage = (commands: readonly Documented[]): string =>
  [
    renderNameSection('orderctl', 'order gift cards and vouchers from the command line'),
    heading('SYNOPSIS'),
    '.B orderctl\nCOMMAND [flags]\n',
    heading('DESCRIPTION'),
    paragraphs(description),
    heading('COMMANDS'),
    ...commands
      .filter(({ group }) => group !== undefined)
      .map(({ path, command }) => entry(path, command.summary())),
    heading('FLAGS'),
    entry('--version', 'print the version'),
    entry('--licenses', 'print the licenses of the software in orderctl'),
    entry('--no-color', 'print without colour'),
    entry('-h, --help', 'print the help'),
    heading('EXAMPLES'),
    literal(examples),
    heading('FILES'),
    paragraphs('orderctl doctor prints where these files are, and their sizes.'),
    ...files.map(([name, meaning]) => entry(name, meaning)),
    heading('EXIT STATUS'),
    ...Object.values(exitCodes).map(({ code, meaning }) => entry(String(code), meaning)),
    heading('SEE ALSO'),
    references([
      ...commands
        .filter(({ group }) => group !== undefined)
        .map(({ path }) => ({ name: nameCommandPage(path), section: 1 })),
      ...topics.map((topic) => ({ name: `orderctl-${topic}`, section: 7 })),
    ]),
  ].join('')
