// Writes every text that a user can read into one file (`npm run texts`), so that it can be reviewed without the code.
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Command } from 'commander'
import { parseSync } from 'rolldown/utils'
import { buildTree } from '../../build/command-tree.ts'
import type { Context } from '../../src/context.ts'
import { topics } from '../../src/program/help.ts'
import { run } from '../../src/run.ts'
import { createSuggest } from '../../src/text/suggest.ts'
import { isNode, type Node } from '../support/source-files.ts'

export type Text = {
  readonly kind: 'failure' | 'notice' | 'prompt' | 'problem' | 'text'
  /** Expressions are written <expression>. */
  readonly text: string
  /** The command of a failure. */
  readonly fix?: string
  /** The last line of a failure. */
  readonly advice?: string
}

const promptMethods = new Set(['askYesNo', 'prompt', 'promptSecret', 'yesOrNo', 'choose'])

const listOf = (value: unknown): Node[] => (Array.isArray(value) ? value : []).filter(isNode)

const nameOf = (node: unknown): string => {
  if (!isNode(node)) return ''
  if (node.type === 'Identifier') return String(node.name)
  return node.type === 'MemberExpression' ? nameOf(node.property) : ''
}

/** The value of a property of an object literal. */
const propertyOf = (object: Node | undefined, name: string): Node | undefined => {
  const found = listOf(object?.properties).find(({ key }) => nameOf(key) === name)?.value
  return isNode(found) ? found : undefined
}

/** Returns the texts of a source file, in the order of the code. */
export const findTexts = (file: string, source: string): Text[] => {
  const format = (node: unknown): string => {
    if (!isNode(node)) return ''
    if (node.type === 'Literal' && typeof node.value === 'string') return node.value
    if (node.type === 'TemplateLiteral') {
      const expressions = listOf(node.expressions)
      return listOf(node.quasis)
        .map(({ value }, index) => {
          const expression = expressions[index]
          return `${(value as { cooked: string }).cooked}${expression === undefined ? '' : formatPart(expression)}`
        })
        .join('')
    }
    if (node.type === 'BinaryExpression' && node.operator === '+')
      return format(node.left) + format(node.right)
    if (isSuggestion(node)) return `orderctl ${format(node.quasi)}`
    if (node.type === 'ArrowFunctionExpression') return format(node.body)
    return formatPart(node)
  }

  /** suggest`…` writes a command. */
  const isSuggestion = (node: unknown): boolean =>
    isNode(node) &&
    node.type === 'TaggedTemplateExpression' &&
    /\b(suggest|onProfile)\b/.test(sourceOf(node.tag))

  const sourceOf = (node: unknown): string =>
    isNode(node) ? source.slice(Number(node.start), Number(node.end)) : ''

  /** An expression inside a text. Both branches of a condition are texts. */
  const formatPart = (node: Node): string => {
    if (node.type === 'ConditionalExpression') return `{${format(node.consequent)}|${format(node.alternate)}}`
    if (node.type === 'LogicalExpression') return `{${format(node.left)}|${format(node.right)}}`
    if (typeof node.value === 'string' || node.type === 'TemplateLiteral' || isSuggestion(node))
      return format(node)
    return `<${sourceOf(node).replaceAll(/\s+/g, ' ')}>`
  }

  const findIn = (node: Node): Text[] => {
    if (/^(Import|Export(All|Named)|TS)/.test(node.type) && node.source !== undefined && node.source !== null)
      return []
    const callArguments = listOf(node.arguments)
    const [first, second, third] = callArguments
    if (node.type === 'NewExpression' && nameOf(node.callee) === 'Failure') {
      const [fix, advice] = [propertyOf(third, 'fix'), propertyOf(third, 'advice')]
      return [
        {
          ...{ kind: 'failure', text: format(second) },
          ...(fix && { fix: format(fix) }),
          ...(advice && { advice: format(advice) }),
        },
      ]
    }
    const callee = isNode(node.callee) ? node.callee : undefined
    const name = nameOf(callee)
    if ((name === 'write' && /stderr|output/i.test(nameOf(callee?.object))) || name === 'say') {
      return [{ kind: 'notice', text: format(first) }]
    }
    if (promptMethods.has(name) && isString(first)) {
      return [{ kind: 'prompt', text: format(first) }, ...findInAll(callArguments.slice(1))]
    }
    if (name === 'read' && callArguments.length === 4) {
      return [{ kind: 'problem', text: `${format(first)} is …; allowed: ${format(callArguments[3])}` }]
    }
    if (name === 'addProblem') return [{ kind: 'problem', text: format(first) }]
    const [message, check] = [propertyOf(node, 'message'), propertyOf(node, 'check')]
    if (message !== undefined && check !== undefined) {
      const others = listOf(node.properties).filter(({ value }) => value !== message)
      return [{ kind: 'prompt', text: format(message) }, ...findInAll(others)]
    }
    if (isText(node) || isSuggestion(node)) return [{ kind: 'text', text: format(node) }]
    return findInAll(Object.values(node).flat())
  }

  const isString = (node: Node | undefined): boolean =>
    typeof node?.value === 'string' || node?.type === 'TemplateLiteral'

  /** Prose: two words, and no SQL. */
  const isText = (node: unknown): boolean =>
    isNode(node) &&
    ['Literal', 'TemplateLiteral', 'BinaryExpression'].includes(node.type) &&
    (node.type !== 'BinaryExpression' || [node.left, node.right].some(isText)) &&
    /[a-z…]{2,}[,.:;]? [a-z<{'"(]/i.test(format(node).replaceAll(/<[^>]*>/g, '')) &&
    !/^\s*(SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER|DROP|PRAGMA|VACUUM|INDEXED|ORDER BY)\b|\b(AND|DESC|IN|IS NOT NULL|JOIN|OR)\b/.test(
      format(node),
    )

  const findInAll = (nodes: readonly unknown[]): Text[] => nodes.filter(isNode).flatMap(findIn)
  const { program } = parseSync(file, source)
  return findInAll((program as unknown as { readonly body: unknown[] }).body)
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
    ...pathsOf(buildTree(), []).map((path) => [...path, '--help']),
    ...topics.map((topic) => ['help', topic]),
  ]
  const texts: string[] = []
  for (const words of calls) texts.push(await printedBy(words))
  return texts
}

const renderText = ({ kind, text, fix, advice = '' }: Text): string => {
  const all = `${text.trimEnd()}\n${fix === undefined ? '' : `try: ${fix}\n`}${advice}`
  const lines = all.trimEnd().split('\n')
  return lines.map((line, index) => `${(index === 0 ? kind : '').padEnd(9)}${line}\n`).join('')
}

const renderSources = (): string[] =>
  globSync('src/**/*.{ts,js}')
    .toSorted()
    // Help is rendered as a whole.
    .filter((file) => !/(flags|command|topics)\.ts$/.test(file))
    .map((file) => ({ file, texts: findTexts(file, readFileSync(file, 'utf8')) }))
    .filter(({ texts }) => texts.length > 0)
    .map(({ file, texts }) => `== ${file}\n\n${texts.map(renderText).join('')}`)

/** Without its elements. */
const renderPage = (file: string): string => {
  const lines = readFileSync(file, 'utf8')
    .replaceAll(/<[^>]*>/g, '')
    .split('\n')
  const texts = lines.map((line) => line.trim()).filter((line) => line !== '')
  return `== ${file}\n\n${texts.map((text) => renderText({ kind: 'text', text })).join('')}`
}

export const renderAllTexts = async (): Promise<string> =>
  [...(await renderHelp()), ...renderSources(), ...globSync('src/**/*.html').toSorted().map(renderPage)].join(
    '\n',
  )

if (import.meta.main) {
  const [file = 'texts.txt'] = process.argv.slice(2)
  writeFileSync(path.resolve(file), await renderAllTexts())
}
