// Parses commands that orderctl tells a user to type, with the real command tree. None is run.
import type { Command } from 'commander'
import { buildTree } from '../../build/command-tree.ts'
import type { Context } from '../../src/context.ts'
import { addHelpCommand } from '../../src/program/program.ts'

const withParts = (command: Command): Command[] => [command, ...command.commands.flatMap(withParts)]

export const buildProgram = (): Command => {
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
export const parseWords = (words: readonly string[]): void => {
  try {
    buildProgram().parse(words, { from: 'user' })
  } catch (error) {
    if ((error as { code?: string }).code !== 'commander.helpDisplayed') throw error
  }
}

/** As a shell splits them. */
const splitWords = (command: string): string[] =>
  [...command.matchAll(/(?:'[^']*'|\\.|[^\s'\\])+/g)].map(([word]) =>
    word.replaceAll(/'([^']*)'|\\(.)/g, '$1$2'),
  )

/** These buy twice, or give up a check. Only a person decides to use them. */
const consentWords = ['--allow-duplicate', '--accept-changes', '--settle', 'forget']

/** The programs that a fix may run. */
const programs = /^(orderctl|env|chmod|chown|find|mv|npm|pg_dump|rm|secret-tool|sudo)$/

/** Why the fix of an error is not one command that works. */
export const findFixProblem = (fix: string): string | undefined => {
  const words = splitWords(fix)
  const [program = ''] = words
  if (!programs.test(program)) return `begins with ${program}`
  if (/(\. |: )/.test(fix.replaceAll(/'[^']*'/g, ''))) return 'is prose'
  // ORDER and BATCH stand for a value that no one can type or paste.
  if (words.some((word) => /^(FILE|NAME|AMOUNT)$|^<|…/.test(word))) return 'has a placeholder'
  const consent = consentWords.find((each) => words.some((word) => word.split('=')[0] === each))
  if (consent !== undefined) return `contains ${consent}`
  const at = /^(env|orderctl)$/.test(program) ? words.indexOf('orderctl') : -1
  try {
    if (at !== -1) parseWords(words.slice(at + 1))
  } catch (error) {
    return (error as Error).message
  }
  return undefined
}

const checked = new Map<string, string | undefined>()

/** Throws if an error on stderr has a fix that is not one command that works. */
export const checkPrintedFixes = (stderr: string): void => {
  const lines = stderr.replaceAll(/\u001b\[\d+m/g, '').split('\n')
  const fixes = lines.flatMap((line) => {
    if (line.startsWith('try: ')) return [line.slice('try: '.length)]
    return line.startsWith('{"error":') ? [JSON.parse(line).error.fix].filter(Boolean) : []
  })
  for (const fix of fixes) {
    if (!checked.has(fix)) checked.set(fix, findFixProblem(fix))
    const problem = checked.get(fix)
    if (problem !== undefined) throw new Error(`this fix ${problem}: ${fix}`)
  }
}
