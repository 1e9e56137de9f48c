// The man pages of a command, of a help topic, and of orderctl itself.
import type { Command, Option } from 'commander'
import type { Part } from '../../src/commands/help/topics.ts'
import { exitCodes } from '../../src/errors.ts'
import { topics } from '../../src/program/program.ts'
import { type Documented, formatUsage } from '../command-tree.ts'
import { entry, escapeText, heading, literal, paragraphs, references } from './roff.ts'

export const nameCommandPage = (path: string): string => path.replaceAll(' ', '-')

/** Without its full stop and its capital, as is usual in man pages. */
const toNameLine = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1).replace(/\.$/, '')

const summarize = (command: Command): string =>
  command.summary() || (/^[^.]*\.?/.exec(command.description())?.[0] ?? '')

const renderNameSection = (name: string, summary: string): string =>
  `${heading('NAME')}${escapeText(name)} \\- ${escapeText(toNameLine(summary))}\n`

const describeOption = ({ description, defaultValue, negate }: Option): string =>
  typeof defaultValue === 'string' && !negate ? `${description} (default: ${defaultValue})` : description

/** Fills the lines of prose and keeps those of tables. */
const renderNotes = (notes: string): string =>
  notes
    .split(/\n\n+/)
    .map((part) => (/ {2}/.test(part) ? literal(part) : `.PP\n${paragraphs(part)}`))
    .join('')

const renderUsage = (documented: Documented): string => {
  const { path } = documented
  return `${heading('SYNOPSIS')}.B ${escapeText(path)}\n${escapeText(formatUsage(documented).slice(path.length + 1))}\n`
}

const renderList = (title: string, entries: readonly (readonly [string, string])[]): string =>
  entries.length === 0 ? '' : heading(title) + entries.map(([name, meaning]) => entry(name, meaning)).join('')

export const renderCommandPage = (documented: Documented): string => {
  const { path, command } = documented
  const { notes = '', examples = [] } = command.spec ?? {}
  const [program = '', ...words] = path.split(' ')
  const parent = nameCommandPage([program, ...words.slice(0, -1)].join(' '))
  return [
    renderNameSection(nameCommandPage(path), summarize(command)),
    renderUsage(documented),
    heading('DESCRIPTION'),
    paragraphs(command.description()),
    renderList(
      'COMMANDS',
      command.commands.map((each) => [each.name(), summarize(each)]),
    ),
    renderList(
      'ARGUMENTS',
      command.registeredArguments
        .filter(({ description }) => description !== '')
        .map((argument) => [argument.name(), argument.description]),
    ),
    renderList(
      'FLAGS',
      command.options.map((option) => [option.flags, describeOption(option)]),
    ),
    entry('-h, --help', 'print the help'),
    notes === '' ? '' : heading('NOTES') + renderNotes(notes.trim()),
    examples.length === 0 ? '' : heading('EXAMPLES') + literal(examples.join('\n')),
    heading('SEE ALSO'),
    references([
      { name: parent, section: 1 },
      ...command.commands.map((each) => ({ name: nameCommandPage(`${path} ${each.name()}`), section: 1 })),
      { name: 'orderctl-exit-codes', section: 7 },
      { name: 'orderctl-environment', section: 7 },
    ]),
  ].join('')
}

const renderPart = (part: Part): string => {
  if ('rows' in part) return part.rows.map(([name, meaning]) => entry(name.trim(), meaning)).join('')
  return 'code' in part ? literal(part.code) : `.PP\n${paragraphs(part.text)}`
}

export const renderTopicPage = (name: string, summary: string, parts: readonly Part[]): string =>
  [
    renderNameSection(name, summary),
    heading('DESCRIPTION'),
    ...parts.map(renderPart),
    heading('SEE ALSO'),
    references([{ name: 'orderctl', section: 1 }]),
  ].join('')

const description = `orderctl orders gift cards and vouchers from an order service. An order is created, confirmed once, processed, and then fetched with its codes.

orderctl never buys twice, never loses an order, and never shows a code unless you ask. It writes each order to a journal before it sends anything.

Until you add an account, orderctl uses a sandbox: a complete order service that works offline and uses no real money.`

const files: readonly (readonly [name: string, meaning: string])[] = [
  ['~/.config/orderctl/profiles.json', 'the accounts and their keys'],
  ['~/.local/state/orderctl/journal.db', 'the journal: each order, and who had its codes revealed'],
  [
    '~/.local/state/orderctl/listen.db',
    'received webhooks. Those that wait to be forwarded may contain codes',
  ],
  [
    '~/.local/state/orderctl/machine.db',
    'what this machine knows about its journals, and outcomes that no journal contains yet',
  ],
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
