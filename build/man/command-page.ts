// The man page of a command.
import type { EventEmitter } from 'node:events'
import type { Command, Option } from 'commander'
import { type Documented, formatUsage } from '../command-tree.ts'
import { entry, escapeText, heading, literal, paragraphs, references } from './roff.ts'

export const nameCommandPage = (path: string): string => path.replaceAll(' ', '-')

/** Without its full stop and its capital, as man pages have it. */
const toNameLine = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1).replace(/\.$/, '')

const summarize = (command: Command): string =>
  command.summary() || (/^[^.]*\.?/.exec(command.description())?.[0] ?? '')

export const renderNameSection = (name: string, summary: string): string =>
  `${heading('NAME')}${escapeText(name)} \\- ${escapeText(toNameLine(summary))}\n`

const describeOption = ({ description, defaultValue, negate }: Option): string =>
  typeof defaultValue === 'string' && !negate ? `${description} (default: ${defaultValue})` : description

/** What the help of the command prints above or below its usual parts. */
const readHelpText = (command: Command, position: 'before' | 'after'): string => {
  const texts: string[] = []
  // The typings of commander omit that a command is an emitter.
  const emitter = command as unknown as EventEmitter
  emitter.emit(`${position}Help`, { error: false, command, write: (text: string) => texts.push(text) })
  return texts.join('').trimEnd()
}

/** Fills the lines of prose, and keeps those of tables. */
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
  const notes = readHelpText(command, 'after')
  const examples = readHelpText(command, 'before').replace(/^Examples:\n/, '')
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
    notes === '' ? '' : heading('NOTES') + renderNotes(notes),
    examples === '' ? '' : heading('EXAMPLES') + literal(examples.replaceAll(/^ {2}/gm, '')),
    heading('SEE ALSO'),
    references([
      { name: parent, section: 1 },
      ...command.commands.map((each) => ({ name: nameCommandPage(`${path} ${each.name()}`), section: 1 })),
      { name: 'orderctl-exit-codes', section: 7 },
      { name: 'orderctl-environment', section: 7 },
    ]),
  ].join('')
}
