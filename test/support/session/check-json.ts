// Compares what a command prints with --json with its JSON Schema, the one of `help json COMMAND --schema`. A field that the
// schema does not have fails, too.
import { Ajv2020 } from 'ajv/dist/2020.js'
import { createResultSchema } from '../../../src/commands/help/topics.ts'
import { resultsByCommand } from '../../../src/program/results.ts'

const ajv = new Ajv2020({
  strict: false,
  formats: { 'date-time': (text) => text.endsWith('Z') && !Number.isNaN(Date.parse(text)) },
})
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null

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

/** `words`: of a command that printed JSON. Each line of `watch`, and of `get` with several orders, is a result. */
export const checkJson = (words: readonly string[], stdout: string): void => {
  if (stdout.trim() === '' || words.some((word) => otherwise.test(word))) return
  const [first = '', second] = words.filter((word) => !word.startsWith('-'))
  const waiting = words.includes('--waiting') ? ' --waiting' : ''
  const hasCommands = ['batch', 'journal', 'profile'].includes(first) && second !== undefined
  const command = hasCommands ? `${first} ${second}${waiting}` : first
  const validate = findValidator(command)
  if (validate === undefined) return
  const texts = /^\{.*\}$/m.test(stdout) ? stdout.trim().split('\n') : [stdout]
  for (const text of texts) {
    const value: unknown = JSON.parse(text)
    if (value === null) continue
    const results = isObject(value) && 'warnings' in value ? { ...value, warnings: undefined } : value
    if (isObject(results) && 'warnings' in results) delete results.warnings
    if (!validate(results))
      throw new Error(
        `${words.join(' ')} prints JSON that help json ${command} does not describe: ${ajv.errorsText(validate.errors)}`,
      )
  }
}
