// Every command that a message suggests can be typed: the command, its flags and its arguments exist. None is run.
import { globSync, readFileSync } from 'node:fs'
import type { Command, Option } from 'commander'
import { describe, expect, test } from 'vitest'
import { createSuggest, type Flags } from '../../src/text/suggest.ts'
import { isNode, type Node, parseSources } from '../support/source-files.ts'
import { buildProgram, findFixProblem, parseWords } from '../support/typed-commands.ts'

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

/** The texts outside the help. */
const texts = sources
  .filter(({ path }) => !helpFiles.test(path))
  .flatMap(({ nodes }) => nodes.map(({ node }) => node))
  .filter(({ type }) => type === 'Literal' || type === 'TemplateElement')

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
const wordsOf = (parts: readonly string[], ...values: (string | Flags)[]): string[] => {
  const strings = Object.assign([...parts], { raw: parts })
  return suggest(strings as unknown as TemplateStringsArray, ...values).split(' ')
}

/** Such as NAME or `--max-total AMOUNT`: a user would copy it. */
const hasPlaceholder = (words: string): boolean =>
  /(?:^|[\s=])(?!USD\b)[A-Z][A-Z-]{2,}(?:\.csv)?(?=$|[\s.,;])/.test(words)

test('no suggestion has a placeholder', () => {
  expect(found.filter(({ parts }) => parts.some(hasPlaceholder))).toEqual([])
  const fixed = texts
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
    const words = wordsOf(each.parts, ...values)
    expect(words[0]).toBe('orderctl')
    expect(() => parseWords(words.slice(1))).not.toThrow()
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
    const words = wordsOf([path.join(' ')])
    const has = (flag: string): boolean => command.options.some(({ long }) => long === flag)
    // These commands name the profile as an argument.
    const isProfile = path[0] === 'profile'
    expect(words.includes('--profile')).toBe(has('--profile') && !isProfile)
    expect(words.includes('--allow-http')).toBe(has('--allow-http'))
  },
)

test('fixed commands in messages can be typed', () => {
  const fixed = texts
    .filter(({ value }) => typeof value === 'string')
    .flatMap(({ value }) => [
      ...String(value).matchAll(/(?:^|: )orderctl ((?:[\w:/=.-]+ ?)+?)(?=[.,;] |[.,;]?$)/g),
    ])
    .map(([, words = '']) => words.trim())
    .filter((words) => buildProgram().commands.some((command) => words.split(' ')[0] === command.name()))
  expect(fixed).toContain('sandbox advance 11m')
  for (const words of fixed) expect(() => parseWords(words.split(' ')), words).not.toThrow()
})

/** The expressions of which a fix is one. */
const leavesOfFix = (node: Node): Node[] => {
  const { type, body, consequent, alternate, left, right, argument, expression } = node
  const inside: Readonly<Record<string, readonly unknown[]>> = {
    ArrowFunctionExpression: [body],
    BlockStatement: listOf(body),
    ConditionalExpression: [consequent, alternate],
    IfStatement: [consequent, alternate],
    LogicalExpression: [left, right],
    ParenthesizedExpression: [expression],
    ReturnStatement: [argument],
  }
  const parts = inside[type]
  return parts === undefined ? [node] : parts.filter(isNode).flatMap(leavesOfFix)
}

test('the fix of an error is a command and nothing else', () => {
  const fixes = sources.flatMap(({ path, nodes }) =>
    nodes
      .filter(
        ({ node: { type, key, id } }) =>
          (type === 'Property' && (key as Node).name === 'fix') ||
          (type === 'VariableDeclarator' && (id as Node).name === 'fix'),
      )
      .flatMap(({ node: { value, init } }) => [value, init].filter(isNode).flatMap(leavesOfFix))
      .filter(({ type }) => type === 'Literal' || type === 'TemplateLiteral')
      .map(
        (node) => [path, node.type === 'Literal' ? String(node.value) : readParts(node).join('x')] as const,
      ),
  )
  expect(fixes.length).toBeGreaterThan(10)
  const commands = fixes.map(([path, text]) => [path, text.replace('orderctl x --help', 'orderctl --help')])
  expect(commands.filter(([, text = '']) => findFixProblem(text.replace(/^x(?=chmod)/, '')))).toEqual([])
})
