// Compares what a command prints with --json with its JSON Schema, the one of `help json COMMAND --schema`. A field that the
// schema does not have fails, too.
import { Ajv2020 } from 'ajv/dist/2020.js'
import { createResultSchema } from '../../src/commands/help/topics.ts'
import { resultsByCommand } from '../../src/program/results.ts'

const ajv = new Ajv2020({
  strict: false,
  formats: { 'date-time': (text) => text.endsWith('Z') && !Number.isNaN(Date.parse(text)) },
})
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null

/** Any object may have them. */
const leaveOutWarnings = (result: unknown): unknown => {
  if (!isObject(result) || Array.isArray(result)) return result
  const { warnings: _, ...others } = result
  return others
}

/** Allows no field that the schema does not have. */
const close = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(close)
  if (!isObject(schema)) return schema
  const closed = Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, close(value)]))
  return 'properties' in closed ? { ...closed, additionalProperties: false } : closed
}

const validators = new Map<string, ReturnType<typeof ajv.compile>>()
const findValidator = (command: string) => {
  const type = resultsByCommand.get(command)
  if (type === undefined) return undefined
  const known = validators.get(command) ?? ajv.compile(close(createResultSchema(command, type)) as object)
  validators.set(command, known)
  return known
}

/** These flags choose other results, or only some fields. */
const otherwise = /^--(fields|dry-run|skeleton|schema|by|items|rows|refresh|export)\b/

/**
 * What is wrong with the JSON that the command printed. Each line of `watch`, and of `get` with several orders, is a
 * result.
 */
export const findJsonProblem = (words: readonly string[], stdout: string): string | undefined => {
  if (stdout.trim() === '' || words.some((word) => otherwise.test(word))) return undefined
  const [first = '', second] = words.filter((word) => !word.startsWith('-'))
  const hasCommands = ['batch', 'journal', 'profile'].includes(first) && second !== undefined
  const waiting = words.includes('--waiting') ? ' --waiting' : ''
  const command = hasCommands ? `${first} ${second}${waiting}` : first
  const validate = findValidator(command)
  if (validate === undefined) return undefined
  const texts = /^\{.*\}$/m.test(stdout) ? stdout.trim().split('\n') : [stdout]
  for (const text of texts) {
    const result: unknown = JSON.parse(text)
    if (result !== null && !validate(leaveOutWarnings(result)))
      return `${words.join(' ')} prints JSON that help json ${command} does not describe: ${ajv.errorsText(validate.errors)}`
  }
  return undefined
}
