// docs/commands.md is generated: `npx vitest run test/docs/commands.test.ts -u` writes it again.
import type { Command, Option } from 'commander'
import { expect, test } from 'vitest'
import { type Documented, formatUsage, listCommands } from '../../build/command-tree.ts'

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

const renderSection = (documented: Documented): string[] => {
  const { path, command } = documented
  const depth = path.split(' ').length
  return [
    '',
    `${'#'.repeat(depth)} ${path}`,
    '',
    '```',
    formatUsage(documented),
    '```',
    '',
    command.description(),
    ...renderArguments(command),
    ...renderFlags(command),
  ]
}

const renderPage = (): string =>
  [
    '# Commands',
    '',
    '`orderctl COMMAND --help` prints what people use daily, and `--help --all` everything. Every command also has these flags:',
    '',
    '| Flag | Meaning |',
    '|---|---|',
    '| `--json` | print JSON; errors as one JSON object on stderr |',
    '| `--no-color` | print without colour |',
    '| `-h, --help` | print the help of the command |',
    '',
    '`orderctl --version` prints the version (with `--json` also the schemas of the journal, the version of Node, and how orderctl was installed), and `orderctl --licenses` the licenses of the software in orderctl.',
    '`orderctl help TOPIC` explains exit codes, environment variables, order files, the sandbox, JSON and safety.',
    ...listCommands().flatMap(renderSection),
    '',
  ].join('\n')

test('docs/commands.md describes every command and flag', async () => {
  await expect(renderPage()).toMatchFileSnapshot('../../docs/commands.md')
})
