// Wrong command lines: the message with its fix and advice, the exit code, and nothing sent. The table is wrong-input.txt.
import { readdirSync, readFileSync } from 'node:fs'
import type { Command } from 'commander'
import { describe, expect, test } from 'vitest'
import { buildTree } from '../../build/command-tree.ts'
import type { CommandNode } from '../../src/cli/spec.ts'
import { exitCodes } from '../../src/errors.ts'
import { entries } from '../../src/program/program.ts'
import { isAllRun, sampleEvenly } from '../support/cases.ts'
import { openService } from '../support/embedded.ts'
import { inSituation, type Situation } from '../support/in-process.ts'
import { folder } from '../support/orderctl.ts'
import { byExecutable, openWorld } from '../support/world.ts'

type Row = {
  readonly name: string
  readonly words: readonly string[]
  readonly input: string | undefined
  readonly exit: number
  readonly message: string
  readonly violations: readonly string[]
  readonly fix: string | undefined
  readonly advice: string | undefined
  /** --json changes what is wrong. */
  readonly isTextOnly: boolean
  /** The same flag of a further command. */
  readonly isRepeated: boolean
}

/** What each command needs besides the tested flag. */
const needed: Readonly<Record<string, string>> = {
  create: '--product GAME-US:25 --wallet USD',
  confirm: 'ord_x',
  get: 'ord_x',
  explain: 'ord_x',
  redeem: 'ord_x',
  watch: 'ord_x',
  'batch plan': '--product GAME-US:25 --wallet USD',
  'batch run': '--product GAME-US:25 --wallet USD',
  'batch show': 'gifts',
  'batch approve': 'gifts',
  'batch export': 'gifts codes.csv',
  'batch cancel': 'gifts',
  // The default ports may be in use.
  listen: '--port 0',
  'listen replay': '--forward-to https://x',
  'profile add': 'x --base-url https://orders.test --key-stdin',
  'profile show': 'x',
  'profile use': 'x',
  'profile remove': 'x',
  'profile limits': 'x',
  'journal backup': 'copy.db',
  'serve-mock': '--port 0',
}

/** Flags that take any text. */
const anyText = [
  ...['redeem --sku', 'list --by', 'reveals --by'],
  ...['batch plan --sheet', 'batch plan --ignore', 'batch run --sheet', 'batch run --ignore'],
  'journal forget --reason',
  'serve-mock --seed',
]

const collectCommands = (command: Command, way: string): [string, Command][] => [
  [way, command],
  ...command.commands.flatMap((each) => collectCommands(each, `${way} ${each.name()}`)),
]

const commands = new Map(buildTree().commands.flatMap((command) => collectCommands(command, command.name())))

/** The command in the words, such as `profile add`. */
const findWay = (words: readonly string[]): string =>
  words
    .filter((word) => !word.startsWith('-'))
    .reduce((way, word) => (commands.has(`${way} ${word}`.trim()) ? `${way} ${word}`.trim() : way), '')

const splitWords = (text: string): string[] =>
  (text.match(/'[^']*'|"[^"]*"|\S+/g) ?? []).map((word) =>
    word.startsWith("'") ? word.slice(1, -1) : word.startsWith('"') ? JSON.parse(word) : word,
  )

/** The rows of a block: commands, and their error. */
const readBlock = (text: string): Row[] => {
  const all = text.trimEnd().split('\n')
  const lines = all.filter((line) => !line.startsWith('$ '))
  return all.filter((line) => line.startsWith('$ ')).flatMap((line) => readRow(line.slice(2), lines))
}

const readRow = (first: string, shared: readonly string[]): Row[] => {
  const [command = '', stdin] = first.split(' < ')
  const words = splitWords(command)
  const value = words.at(-1)?.replace(/^--[\w-]+=/, '') ?? ''
  const lastFlag = words.findLast((word) => word.startsWith('--'))?.split('=')[0] ?? ''
  const lines = shared.map((line) => line.replace('"…"', JSON.stringify(value)).replaceAll('--…', lastFlag))
  const [input] = splitWords(stdin ?? '')
  const find = (start: string) => lines.find((line) => line.startsWith(start))?.slice(start.length)
  const violations = lines.filter((line) => line.startsWith('  ')).map((line) => line.trim())
  const row = {
    input,
    exit: Number(find('exit ') ?? 2),
    message: find('error: ') ?? '',
    violations,
    advice: find('advice: '),
    isTextOnly: lines.includes('text only'),
    isRepeated: false,
  }
  const fixOf = (way: string) =>
    find('try: ') ??
    (lines.includes('no fix') || row.advice !== undefined ? undefined : `orderctl ${way} --help`)
  const [each, flag = ''] = words
  if (each !== '…') return [{ ...row, name: first, words, fix: fixOf(findWay(words)) }]
  return [...commands]
    .filter(([, { options }]) => options.some(({ long }) => long === flag))
    .map(([way], index) => {
      const whole = [...way.split(' '), ...splitWords(needed[way] ?? ''), ...words.slice(1)]
      return { ...row, name: whole.join(' '), words: whole, fix: fixOf(way), isRepeated: index > 0 }
    })
}

const rows = readFileSync(new URL('wrong-input.txt', import.meta.url), 'utf8')
  .replace(/^#.*\n/gm, '')
  .split(/^(?<!^\$ .*\n)(?=\$ )/m)
  .flatMap(readBlock)

const account = { ORDERCTL_BASE_URL: 'https://orders.test', ORDERCTL_API_KEY: 'the-key' }

/** Runs a command line, and lists the requests that the service received. */
const run = async (words: readonly string[], { env, cwd = folder(), ...situation }: Situation = {}) => {
  await using service = await openService()
  const { exit, stdout, stderr } = await inSituation(words, {
    cwd,
    env: { ...account, ...env },
    openNetwork: async () => Object.assign(service.transport, { close: async () => {} }),
    // If such a row were not refused, they would not end by themselves.
    ...(/^(serve-mock|listen)$/.test(words[0] ?? '') ? { interrupted: AbortSignal.timeout(10_000) } : {}),
    ...situation,
  })
  const { data } = await service.mock('GET', '/requests')
  return { exit, stdout, stderr: stderr.replaceAll(cwd, '~'), sent: data }
}

const formatRow = ({ message, violations, fix, advice }: Row): string =>
  [
    `error: ${message}\n`,
    ...violations.map((each) => `  ${each}\n`),
    fix === undefined ? '' : `try: ${fix}\n`,
    advice === undefined ? '' : `${advice}\n`,
  ].join('')

const distinct = rows.filter(({ isRepeated }) => !isRepeated)

describe.each(isAllRun ? rows : sampleEvenly(distinct, 120))('$name', (row) => {
  const { words, exit } = row
  const input = row.input === undefined ? {} : { input: row.input }

  test.skipIf(words.includes('--json'))('is refused', async () => {
    expect(await run(words, input)).toEqual({ exit, stdout: '', stderr: formatRow(row), sent: [] })
  })

  const isOmitted = !isAllRun && rows.indexOf(row) % 4 > 0
  test.skipIf(row.isTextOnly || isOmitted)('is refused in JSON', async () => {
    const { stderr, ...ran } = await run(words, { ...input, env: { ORDERCTL_JSON: '1' } })
    const { field, reason: _, ...error } = JSON.parse(stderr).error
    const { message, violations, fix, advice } = row
    expect({ ...ran, error }).toEqual({
      ...{ exit, stdout: '', sent: [] },
      error: {
        code: Object.entries(exitCodes).find(([, { code }]) => code === exit)?.[0],
        message,
        ...(fix === undefined ? {} : { fix }),
        ...(advice === undefined ? {} : { advice }),
        ...(violations.length === 0 ? {} : { violations }),
        retryable: false,
      },
    })
    if (field !== undefined) expect(`${words.join(' ')}${formatRow(row)}`).toContain(field)
  })
})

test
  .runIf(isAllRun)
  .each(rows.filter(({ words }) => !words.includes('--json')).filter((_, at) => at % 100 === 0))(
  'the built executable refuses $name',
  async (row) => {
    const shop = await openWorld(byExecutable)
    const input = row.input === undefined ? {} : { input: row.input }
    const ran = await shop.run(row.words, input)
    expect(ran).toEqual({ exit: row.exit, stdout: '', stderr: formatRow(row) })
    expect(await shop.asked()).toBe('')
  },
)

/** The places of a command line that take a value, and the words with that value. */
type Slot = { readonly name: string; readonly words: (value: string) => string[] }

const flagSlots = [...commands].flatMap(([way, { options }]) =>
  options
    .filter(({ required, optional }) => required || optional)
    .map(({ long }): Slot => {
      const words = splitWords(`${way} ${needed[way] ?? ''} ${long}`)
      return { name: `${way} ${long}`, words: (value) => [...words, value] }
    }),
)

test('every flag with a value has a row that ends with a wrong value, or takes any text', () => {
  const tested = rows.map(({ words }) => {
    const flag = words.findLast((word) => word.startsWith('--'))?.split('=')[0]
    return `${findWay(words)} ${flag}`
  })
  const names = flagSlots.map(({ name }) => name)
  expect(names.filter((name) => !tested.includes(name))).toEqual(anyText)
})

const slots: readonly Slot[] = [
  { name: 'the command', words: (value) => [value] },
  { name: 'a flag', words: (value) => ['list', `--${value}`] },
  { name: 'help', words: (value) => ['help', value] },
  ...[...commands].flatMap(([way, { registeredArguments }]) =>
    registeredArguments.map((operand, at): Slot => {
      const words = [...way.split(' '), ...Array.from({ length: at }, () => 'ord_x')]
      return { name: `${way} <${operand.name()}>`, words: (value) => [...words, value] }
    }),
  ),
  ...flagSlots,
]

describe('a value of 10,000 characters', () => {
  const long = 'x'.repeat(10_000)

  test('is shortened in the error', async () => {
    expect((await run([long])).stderr).toMatch(/^error: unknown command 'x{99}…x{99}'\ntry: /)
  })

  test.each(isAllRun ? slots : sampleEvenly(slots, 25))(
    'is never printed in full: $name',
    async ({ words }) => {
      // serve-mock --seed takes any text, and would serve.
      const { exit, stderr } = await run(words(long), { input: 'key', interrupted: AbortSignal.abort() })
      const { internal: _, ...documented } = exitCodes
      expect(Object.values(documented).map(({ code }) => code)).toContain(exit)
      expect(stderr.length).toBeLessThan(1_000)
    },
  )
})

describe('a value that is not UTF-8', () => {
  const refusal = (all: readonly string[]) => ({
    exit: 2,
    stdout: '',
    stderr: `error: argument ${all.length} is not valid UTF-8: ${JSON.stringify(all.at(-1))}\nUse a terminal with a UTF-8 locale.\n`,
  })

  // One check, before the words are read.
  test.each(sampleEvenly(slots, 12))('is refused before any work is done: $name', async ({ words }) => {
    const [all, cwd] = [words('a\ufffdb'), folder()]
    expect(await run(all, { cwd, input: 'key' })).toEqual({ ...refusal(all), sent: [] })
    expect(readdirSync(cwd)).toEqual([])
  })

  // Node's own ways to start a process write UTF-8.
  test.runIf(isAllRun).each(['get BYTES', 'list --BYTES'])(
    'is refused by the built executable: %s',
    async (line) => {
      const words = line.split(' ')
      const bytes = `case $word in *BYTES) word=\${word%BYTES}$(printf 'a\\377b') ;; esac`
      const under = ['sh', '-c', `for word; do shift; ${bytes}; set -- "$@" "$word"; done; exec "$@"`, 'sh']
      const shop = await openWorld(byExecutable)
      const all = words.map((word) => word.replace('BYTES', 'a\ufffdb'))
      expect(await shop.run(words, { under })).toEqual(refusal(all))
      expect(await shop.asked()).toBe('')
    },
  )

  test('is no error in completion, which prints no errors', async () => {
    expect(await run(['__complete', 'orderctl', 'get', 'a\ufffdb'])).toMatchObject({ exit: 0, stderr: '' })
  })
})

test('what a flag needs or excludes exists', async () => {
  const unknownIn = ({ spec, commands }: CommandNode, path: string): string[] => [
    ...Object.entries(spec.flags).flatMap(([key, { needs, excludes }]) =>
      [...(needs?.oneOf ?? []), ...Object.keys(excludes ?? {})]
        .filter((name) => !(name in spec.flags) && !(name in (spec.args ?? {})))
        .map((name) => `${path} ${key}: ${name}`),
    ),
    ...Object.entries(commands).flatMap(([name, each]) => unknownIn(each, `${path} ${name}`)),
  ]
  const nodes = await Promise.all(entries.map(async ({ name, load }) => ({ name, ...(await load()) })))
  expect(nodes.flatMap(({ name, command }) => unknownIn(command, name))).toEqual([])
})
