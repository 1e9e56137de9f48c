// Every command that a message suggests can be typed: the command, its flags and its arguments exist. None is run.
import { globSync, readFileSync } from 'node:fs'
import type { Command, Option } from 'commander'
import { describe, expect, test } from 'vitest'
import { buildTree } from '../../build/command-tree.ts'
import { addHelpCommand } from '../../src/cli/help.ts'
import type { Context } from '../../src/context.ts'
import { createSuggest, type Flags } from '../../src/text/suggest.ts'
import { isNode, type Node, parseSources } from '../support/source-files.ts'

const withParts = (command: Command): Command[] => [command, ...command.commands.flatMap(withParts)]

const buildProgram = (): Command => {
  const program = buildTree()
  addHelpCommand(program, {} as Context)
  for (const command of withParts(program)) {
    command.exitOverride().configureOutput({ writeOut: () => {}, writeErr: () => {} })
    // Commander has no public way to ask whether a command runs by itself, without a subcommand.
    if ((command as { _actionHandler?: unknown })._actionHandler) command.action(() => {})
  }
  return program
}

/** Throws if the words after `orderctl` cannot be typed. */
const parse = (words: readonly string[]): void => {
  try {
    buildProgram().parse(words, { from: 'user' })
  } catch (error) {
    if ((error as { code?: string }).code !== 'commander.helpDisplayed') throw error
  }
}

const pathOf = (words: readonly string[]): Command => {
  let command = buildProgram()
  for (const word of words) command = command.commands.find((each) => each.name() === word) ?? command
  return command
}

const listOf = (value: unknown): Node[] => (Array.isArray(value) ? value : []).filter(isNode)

const takesValue = ({ required, optional }: Option): boolean => required || optional

type Found = { readonly file: string; readonly parts: readonly string[]; readonly values: readonly Node[] }

const helpFiles = /(spec|topics)\.ts$/

const files = globSync('src/**/*.ts').filter((file) => !file.startsWith('src/text/'))
const sources = parseSources(Object.fromEntries(files.map((file) => [file, readFileSync(file, 'utf8')])))

const readParts = (node: Node): string[] =>
  listOf(node.quasis).map(({ value }) => (value as { cooked: string }).cooked)

const found: readonly Found[] = sources.flatMap(({ path, nodes }) =>
  nodes
    .filter(({ node }) => node.type === 'TaggedTemplateExpression' && isNode(node.quasi))
    .map(({ node }) => node.quasi as Node)
    .filter((quasi) => /^[a-z-]+( |$)/.test(readParts(quasi)[0] ?? ''))
    .map((quasi) => ({ file: path, parts: readParts(quasi), values: listOf(quasi.expressions) })),
)

/** Example values in place of expressions. A variable named flags may be empty. */
const exampleOf = (node: Node, command: Command): string | Flags => {
  if (node.type !== 'ObjectExpression') return node.type === 'Identifier' && node.name === 'flags' ? {} : 'x'
  const names = listOf(node.properties).map(({ key, computed }) => {
    const { name, value } = key as { readonly name?: string; readonly value?: string }
    return computed === true ? '' : (name ?? value ?? '')
  })
  return Object.fromEntries(
    names
      .filter((name) => name !== '')
      .map((name) => {
        const option = command.options.find(({ long }) => long === `--${name}`)
        return [name, option !== undefined && !takesValue(option) ? true : 'x']
      }),
  )
}

const suggest = createSuggest({ environment: {}, platform: 'linux' })
suggest.setFlags({ profile: 'x', allowHttp: true })

/** Such as NAME or `--max-total AMOUNT`: a user would copy it. */
const hasPlaceholder = (words: string): boolean =>
  /(?:^|[\s=])(?!USD\b)[A-Z][A-Z-]{2,}(?:\.csv)?(?=$|[\s.,;])/.test(words)

test('no suggestion has a placeholder', () => {
  expect(found.filter(({ parts }) => parts.some(hasPlaceholder))).toEqual([])
  const fixed = sources
    .filter(({ path }) => !helpFiles.test(path))
    .flatMap(({ nodes }) => nodes.map(({ node }) => node))
    .filter(({ type }) => type === 'Literal' || type === 'TemplateElement')
    .map(({ value }) =>
      typeof value === 'string' ? value : ((value as { cooked?: string } | null)?.cooked ?? ''),
    )
    .filter((text) => /orderctl [a-z]/.test(text))
  expect(fixed.length).toBeGreaterThan(20)
  // The user of the address takes the place of USER.
  const written = fixed.filter((text) => !text.endsWith('orderctl journal migrate --grant USER.'))
  expect(written.filter((text) => hasPlaceholder(text.slice(text.indexOf('orderctl '))))).toEqual([])
})

test('the suggestions are found', () => {
  expect(found.length).toBeGreaterThan(120)
})

describe.each(Object.entries(Object.groupBy(found, ({ file }) => file)))('%s', (_file, all = []) => {
  test.each(all.map((each) => [each.parts.join('<…>'), each] as const))('orderctl %s', (_text, each) => {
    const command = pathOf((each.parts[0] ?? '').split(' '))
    const values = each.values.map((value) => exampleOf(value, command))
    const strings = Object.assign([...each.parts], { raw: each.parts })
    const words = suggest(strings as unknown as TemplateStringsArray, ...values).split(' ')
    expect(words[0]).toBe('orderctl')
    expect(() => parse(words.slice(1))).not.toThrow()
  })
})

const leavesOf = (command: Command, path: readonly string[]): string[][] =>
  command.commands.length === 0
    ? [[...path]]
    : command.commands.flatMap((each) => leavesOf(each, [...path, each.name()]))

test.each(leavesOf(buildProgram(), []).map((path) => [path.join(' '), path] as const))(
  'the account is added to a command that takes its flags: %s',
  (_name, path) => {
    const command = pathOf(path)
    const strings = Object.assign([path.join(' ')], { raw: [path.join(' ')] })
    const words = suggest(strings as unknown as TemplateStringsArray).split(' ')
    const has = (flag: string): boolean => command.options.some(({ long }) => long === flag)
    // These commands name the profile as an argument.
    const isProfile = path[0] === 'profile'
    expect(words.includes('--profile')).toBe(has('--profile') && !isProfile)
    expect(words.includes('--allow-http')).toBe(has('--allow-http'))
  },
)

test('fixed commands in messages can be typed', () => {
  const fixed = sources
    .filter(({ path }) => !helpFiles.test(path))
    .flatMap(({ nodes }) => nodes.map(({ node }) => node))
    .filter(({ type, value }) => type === 'Literal' && typeof value === 'string')
    .flatMap(({ value }) => [
      ...String(value).matchAll(/(?:^|: )orderctl ((?:[\w:/=.-]+ ?)+?)(?=[.,;] |[.,;]?$)/g),
    ])
    .map(([, words = '']) => words.trim())
    .filter((words) => buildProgram().commands.some((command) => words.split(' ')[0] === command.name()))
  expect(fixed).toContain('sandbox advance 11m')
  for (const words of fixed) expect(() => parse(words.split(' ')), words).not.toThrow()
})
