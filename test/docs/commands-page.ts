// Renders docs/commands.md from the command tree.
import { Command, type Option } from 'commander'
import { entries } from '../../src/cli/program.ts'

type Section = { readonly path: string; readonly command: Command }

const sectionsOf = (command: Command, path: string): Section[] => [
  { path, command },
  ...command.commands.flatMap((each) => sectionsOf(each, `${path} ${each.name()}`)),
]

const escapeCell = (text: string): string => text.replaceAll('|', '\\|').replaceAll(/\s+/g, ' ')

const describeDefault = ({ defaultValue, negate }: Option): string =>
  typeof defaultValue === 'string' && !negate ? ` (default: ${defaultValue})` : ''

/** Flags that every command has are described once, at the top of the page. */
const isCommon = ({ long }: Option): boolean => ['--json', '--no-color', '--help'].includes(long ?? '')

const renderFlags = (command: Command): string[] => {
  const options = command.options.filter((option) => !isCommon(option))
  if (options.length === 0) return []
  const rows = options.map(
    (option) =>
      `| \`${escapeCell(option.flags)}\` | ${escapeCell(option.description)}${describeDefault(option)} |`,
  )
  return ['', '| Flag | Meaning |', '|---|---|', ...rows]
}

const renderArguments = (command: Command): string[] =>
  command.registeredArguments
    .filter(({ description }) => description !== '')
    .map(({ description }) => `Argument: ${description}.`)
    .flatMap((line) => ['', line])

const usageOf = ({ path, command }: Section): string => {
  const usage = command.usage().replace('[options]', '[flags]')
  return command.commands.length > 0 && command.registeredArguments.length === 0
    ? `${path} COMMAND [flags]`
    : `${path} ${usage}`
}

const renderSection = (section: Section): string[] => {
  const { path, command } = section
  const depth = path.split(' ').length
  return [
    '',
    `${'#'.repeat(depth)} ${path}`,
    '',
    '```',
    usageOf(section),
    '```',
    '',
    command.description(),
    ...renderArguments(command),
    ...renderFlags(command),
  ]
}

export const renderCommandsPage = (): string => {
  const program = new Command('orderctl')
  for (const { name, define } of entries)
    define(
      program.command(name) as never,
      {} as never,
      () => {},
      async () => 0,
    )
  return [
    '# Commands',
    '',
    'Every command also has these flags:',
    '',
    '| Flag | Meaning |',
    '|---|---|',
    '| `--json` | print JSON; errors as one JSON object on stderr |',
    '| `--no-color` | print without colour |',
    '| `-h, --help` | print the help of the command |',
    '',
    '`orderctl --version` prints the version, and `orderctl --licenses` the licenses of the software in orderctl.',
    '`orderctl help TOPIC` explains exit codes, environment variables, order files, the sandbox, JSON and safety.',
    ...program.commands.flatMap((command) =>
      sectionsOf(command, `orderctl ${command.name()}`).flatMap(renderSection),
    ),
    '',
  ].join('\n')
}
