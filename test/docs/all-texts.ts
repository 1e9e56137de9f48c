// Writes every text that a user can read into one file (`npm run texts`), so that it can be reviewed without the code.
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Command } from 'commander'
import { parseSync } from 'rolldown/utils'
import { buildTree } from '../../build/command-tree.ts'
import type { Context } from '../../src/context.ts'
import { topics } from '../../src/program/program.ts'
import { run } from '../../src/run.ts'
import { createSuggest } from '../../src/text/suggest.ts'
import { isNode, type Node } from '../support/source-files.ts'

const listOf = (value: unknown): Node[] => (Array.isArray(value) ? value : []).filter(isNode)

/** Prose: two words, and no SQL. */
const isProse = (text: string): boolean =>
  /[a-z…]{2,}[,.:;]? [a-z<{'"(]/i.test(text.replaceAll(/<[^>]*>/g, '')) &&
  !/^\s*(SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER|DROP|PRAGMA|VACUUM|INDEXED|ORDER BY)\b|\b(AND|DESC|IN|IS NOT NULL|JOIN|OR)\b/.test(
    text,
  )

/** Returns the texts of a source file, in the order of the code. Expressions are written <expression>. */
const findTexts = (file: string, source: string): string[] => {
  const sourceOf = (node: unknown): string =>
    isNode(node) ? source.slice(Number(node.start), Number(node.end)) : ''

  /** suggest`…` writes a command. */
  const isSuggestion = (node: Node): boolean =>
    node.type === 'TaggedTemplateExpression' && /\b(suggest|onProfile)\b/.test(sourceOf(node.tag))

  /** Both branches of a condition are texts. */
  const format = (node: unknown): string => {
    if (!isNode(node)) return ''
    const { type, value, left, right } = node
    if (type === 'Literal' && typeof value === 'string') return value
    if (type === 'TemplateLiteral') {
      const expressions = listOf(node.expressions)
      return listOf(node.quasis)
        .map((quasi, index) => (quasi.value as { cooked: string }).cooked + format(expressions[index]))
        .join('')
    }
    if (type === 'BinaryExpression' && node.operator === '+') return format(left) + format(right)
    if (isSuggestion(node)) return `orderctl ${format(node.quasi)}`
    if (type === 'ConditionalExpression') return `{${format(node.consequent)}|${format(node.alternate)}}`
    if (type === 'LogicalExpression') return `{${format(left)}|${format(right)}}`
    return `<${sourceOf(node).replaceAll(/\s+/g, ' ')}>`
  }

  const isText = (node: Node): boolean =>
    ['Literal', 'TemplateLiteral'].includes(node.type) ||
    (node.type === 'BinaryExpression' && [node.left, node.right].some((side) => isNode(side) && isText(side)))

  const findIn = (node: Node): string[] => {
    if (/^(Import|Export(All|Named)|TS)/.test(node.type) && isNode(node.source)) return []
    if (isSuggestion(node)) return [`try: ${format(node)}`]
    if (isText(node) && isProse(format(node))) return [format(node)]
    return Object.values(node).flat().filter(isNode).flatMap(findIn)
  }

  const { program } = parseSync(file, source)
  return findIn(program as unknown as Node)
}

/** The output of a command that prints help, at 80 columns. */
const printedBy = async (words: readonly string[]): Promise<string> => {
  let printed = ''
  const stdout = {
    ...{ colour: false, isTerminal: false, width: 80, flushed: async () => {} },
    write: (text: string) => {
      printed += text
    },
  }
  const context = {
    ...{ version: '0', stdout, stderr: stdout, environment: {}, clock: { now: Date.now } },
    suggest: createSuggest({ environment: {}, platform: 'linux' }),
  }
  const exit = await run(context as unknown as Context, words)
  if (exit !== 0) throw new Error(`orderctl ${words.join(' ')}: exit ${exit}\n${printed}`)
  return `$ orderctl ${words.join(' ')}\n\n${printed}`
}

const pathsOf = (command: Command, path: readonly string[]): (readonly string[])[] => [
  path,
  ...command.commands.flatMap((each) => pathsOf(each, [...path, each.name()])),
]

const renderHelp = async (): Promise<string[]> => {
  const calls = [
    ...pathsOf(buildTree(), []).map((path) => [...path, '--help', '--all']),
    ...topics.map((topic) => ['help', topic]),
  ]
  const texts: string[] = []
  for (const words of calls) texts.push(await printedBy(words))
  return texts
}

const renderFile = (file: string, texts: readonly string[]): string =>
  `== ${file}\n\n${texts.map((text) => `- ${text.trim().replaceAll('\n', '\n  ')}\n`).join('')}`

const renderSources = (): string[] =>
  globSync('src/**/*.{ts,js}')
    .toSorted()
    // Help is rendered as a whole.
    .filter((file) => !/(flags|command|topics)\.ts$/.test(file))
    .map((file) => [file, findTexts(file, readFileSync(file, 'utf8'))] as const)
    .filter(([, texts]) => texts.length > 0)
    .map(([file, texts]) => renderFile(file, texts))

/** Without its elements. */
const renderPage = (file: string): string => {
  const lines = readFileSync(file, 'utf8')
    .replaceAll(/<[^>]*>/g, '')
    .split('\n')
  return renderFile(
    file,
    lines.filter((line) => line.trim() !== ''),
  )
}

const renderAllTexts = async (): Promise<string> =>
  [...(await renderHelp()), ...renderSources(), ...globSync('src/**/*.html').toSorted().map(renderPage)].join(
    '\n',
  )

const [file = 'texts.txt'] = process.argv.slice(2)
writeFileSync(path.resolve(file), await renderAllTexts())
