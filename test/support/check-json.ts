// Compares what a command prints with --json with its JSON Schema, the one of `help json COMMAND --schema`, and stderr with that
// of `help json errors`. A field that the schema does not have fails, too.
import { Ajv2020 } from 'ajv/dist/2020.js'
import { createResultSchema } from '../../src/commands/help/topics.ts'
import { loadAllResults } from '../../src/program/all-results.ts'

const allResults = await loadAllResults()
const ajv = new Ajv2020({
  strict: false,
  formats: { 'date-time': (text) => text.endsWith('Z') && !Number.isNaN(Date.parse(text)) },
})
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null

/** Allows no field that the schema does not have. With `isPart`, every field may be missing, as with --fields. */
const close = (schema: unknown, isPart: boolean): unknown => {
  if (Array.isArray(schema)) return schema.map((each) => close(each, isPart))
  if (!isObject(schema)) return schema
  const closed = Object.fromEntries(
    Object.entries(schema).map(([name, value]) => [name, close(value, isPart)]),
  )
  if (!('properties' in closed)) return closed
  return { ...closed, additionalProperties: false, ...(isPart ? { required: [] } : {}) }
}

const validators = new Map<string, ReturnType<typeof ajv.compile>>()
const findValidator = (name: string, isPart: boolean) => {
  const type = allResults.get(name)
  if (type === undefined) throw new Error(`--json of '${name}' is not in all-results.ts`)
  const key = `${name} ${isPart}`
  const known = validators.get(key) ?? ajv.compile(close(createResultSchema(name, type), isPart) as object)
  validators.set(key, known)
  return known
}

/** These print documents of their own: the order file and its schema (create --schema), schemas, and JSON-RPC. */
const isOwnDocument = (name: string, words: readonly string[]): boolean =>
  ['help', 'mcp', '__complete'].includes(name) ||
  (name === 'create' && words.some((word) => /^--(dry-run|skeleton|schema)\b/.test(word)))

/** The longest name that the words have, with a flag that chooses the result. */
const nameResult = (words: readonly string[]): string => {
  const [first = '', second] = words.filter((word) => !word.startsWith('-'))
  if (words.includes('--version') && first === '') return '--version'
  const command = allResults.has(`${first} ${second}`) ? `${first} ${second}` : first
  const flag = words.find((word) => allResults.has(`${command} ${word.split('=')[0]}`))
  return flag === undefined ? command : `${command} ${flag.split('=')[0]}`
}

/** One document, or one a line. */
const listDocuments = (text: string): unknown[] =>
  (/^\{.*\}$/m.test(text) ? text.trim().split('\n') : [text]).map((each) => JSON.parse(each))

/** What is wrong with the JSON that the command printed. */
export const findJsonProblem = (
  words: readonly string[],
  { stdout, stderr }: { readonly stdout: string; readonly stderr: string },
): string | undefined => {
  const name = nameResult(words)
  const isOwn = stdout.trim() === '' || isOwnDocument(name, words)
  const errors = stderr.split('\n').filter((line) => line.startsWith('{'))
  const isPart = words.some((word) => word.startsWith('--fields'))
  const checks = [
    // serve-mock --exec prints its log there, and stdout belongs to the program.
    ...(isOwn || words.includes('--exec') ? [] : [{ name, documents: listDocuments(stdout), isPart }]),
    ...(words.includes('--exec')
      ? []
      : [{ name: 'errors', documents: errors.map((line) => JSON.parse(line)), isPart: false }]),
  ]
  for (const { name, documents, isPart } of checks) {
    const validate = findValidator(name, isPart)
    for (const document of documents)
      if (document !== null && !validate(document))
        return `${words.join(' ')} prints JSON that help json ${name} does not describe: ${ajv.errorsText(validate.errors)}`
  }
  return undefined
}
