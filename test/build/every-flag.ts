// The table of every command with every flag, made from the descriptions of the commands.

import type { CommandNode, Flag, Spec } from '../../src/cli/spec.ts'
import { exitCodes } from '../../src/errors.ts'
import { entries, topics } from '../../src/program/program.ts'
import { flagName } from '../../src/text/flags.ts'
import { isOnWindows } from '../support/orderctl.ts'
import { bases, exits, ofTeams, values } from './flag-values.ts'

export type Row = {
  /** As it is typed. */
  readonly name: string
  /** Such as `batch run`. */
  readonly path: string
  readonly words: readonly string[]
  /** It needs a journal that a team shares. */
  readonly isOfTeams: boolean
  /** The exit code without a terminal. Of a server: at SIGTERM. */
  readonly exit: number
  readonly canPrompt: boolean
  /** It runs until a signal. */
  readonly isServer: boolean
  readonly isJson: boolean
}

/** `<spent|not-spent>` lists its values. */
const namedValues = (form: string): string[] =>
  /^[<[][\w-]+(\|[\w-]+)+[>\]]$/.test(form) ? form.slice(1, -1).split('|') : []

/** What can follow the flag. */
const valuesOf = (path: string, key: string, { takes }: Flag): readonly (readonly string[])[] => {
  if (takes === undefined) return [[]]
  const value = values[`${path} ${flagName(key)}`] ?? values[key]
  const all = value === undefined ? namedValues(takes) : [value]
  if (all.length === 0) throw new Error(`test/build/flag-values.ts has no value for ${path} ${flagName(key)}`)
  return all.map((each) => [each])
}

/** With the value instead of a different one. */
const withFlag = (words: readonly string[], name: string, value: readonly string[]): readonly string[] => {
  const at = words.indexOf(name)
  return at === -1 ? [...words, name, ...value] : words.toSpliced(at + 1, value.length, ...value)
}

/** Adds what the flag needs. */
const withNeeded = (path: string, { flags, args = {} }: Spec, flag: Flag, words: readonly string[]) => {
  const needed = flag.needs?.oneOf ?? []
  const [first] = needed
  const found = first === undefined ? undefined : flags[first]
  const isMet = needed.some((key) => words.includes(flagName(key)) || args[key] !== undefined)
  if (isMet || first === undefined || found === undefined) return words
  return withFlag(words, flagName(first), valuesOf(path, first, found)[0] ?? [])
}

const split = (words: string): string[] => words.split(' ').filter((word) => word !== '')

const rowsOf = (path: string, { spec, commands }: CommandNode): Row[] => {
  // On Windows, mcp cannot read a pipe here, so its input ends.
  const runsUntilSignal = ['listen', 'serve-mock', ...(isOnWindows ? [] : ['mcp'])].includes(path)
  // A signal ends a program of Windows at once.
  const isTerminated = isOnWindows || path === 'listen'
  const row = (words: readonly string[], flag = '', value: readonly string[] = []): Row => {
    const exit = exits[[path, flag, ...value].join(' ')] ?? exits[`${path} ${flag}`] ?? exits[path] ?? 0
    const isServer = runsUntilSignal && exit === 0 && !['--help', '--status', '--exec'].includes(flag)
    return {
      ...{ path, isServer, name: [path, ...words].join(' '), words: [...split(path), ...words] },
      exit: flag === '--help' ? 0 : isServer && isTerminated ? exitCodes.terminated.code : exit,
      isOfTeams: flag !== '--help' && (ofTeams.includes(path) || ofTeams.includes(`${path} ${flag}`)),
      canPrompt: spec.flags.noInput !== undefined,
      isJson: words.includes('--json'),
    }
  }
  const base = split(bases[path] ?? '')
  const ofFlags = Object.entries(spec.flags).flatMap(([key, flag]) => {
    const name = flagName(key)
    const words = withNeeded(path, spec, flag, split(bases[`${path} ${name}`] ?? bases[path] ?? ''))
    return valuesOf(path, key, flag).map((value) => row(withFlag(words, name, value), name, value))
  })
  const ofArguments = Object.values(spec.args ?? {}).flatMap(({ form }) =>
    namedValues(form).map((value) => row(base.with(0, value))),
  )
  return [
    row(base),
    row(['--help'], '--help'),
    ...ofFlags,
    ...ofArguments,
    ...Object.entries(commands).flatMap(([name, node]) => rowsOf(`${path} ${name}`, node)),
  ]
}

const plainRow = (name: string): Row => ({
  ...{ path: name, name, words: split(name), exit: 0, isOfTeams: false, canPrompt: false, isServer: false },
  isJson: name.includes('--json'),
})

const nodes = await Promise.all(
  entries.map(async ({ name, load }) => [name, (await load()).command] as const),
)
const alone = ['', '--help', '--version', '--version --json', '--licenses', 'help']

/** A flag of the base is in every row of its command. */
const withoutRepeats = (all: readonly Row[]): Row[] => [
  ...new Map(all.map((row) => [row.name, row])).values(),
]

/** Every command with every flag. */
export const rows: readonly Row[] = withoutRepeats([
  ...[...alone, ...topics.map((topic) => `help ${topic}`)].map(plainRow),
  ...nodes.flatMap(([name, node]) => rowsOf(name, node)),
])

/** With other words. */
const rewrite = (row: Row, words: readonly string[]): Row => ({ ...row, name: words.join(' '), words })

/** What can prompt: also alone, and without consent. */
export const prompting: readonly Row[] = withoutRepeats(
  rows
    .filter(({ canPrompt }) => canPrompt)
    .flatMap((row) => {
      const { path, words } = row
      const isConsent = (word = ''): boolean => ['--yes', '--confirm', '--max-total'].includes(word)
      const unconsented = words.filter((word, at) => !isConsent(word) && words[at - 1] !== '--max-total')
      return [row, rewrite(row, unconsented), rewrite(row, split(path))]
    }),
)
