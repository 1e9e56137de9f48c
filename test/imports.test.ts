// The import rules of src/, and what no file may do. Each rule is also tested with an example that breaks it.
// biome.json has more of them: who imports conf and pg, who names process, and no default exports or barrel files.
import { globSync, readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { rowsOf } from './support/rows.ts'
import {
  findImportPaths,
  isNode,
  type Node,
  parseSources,
  type SourceFile,
  type Sources,
} from './support/source-files.ts'

const roomOf = (file: string): string =>
  file.startsWith('bin/') ? 'bin' : (/^src\/([\w-]+)(\/|\.ts$)/.exec(file)?.[1] ?? file)

/** A room and those that it may import. LEAVES are the errors, SIDES the rooms beside each other. */
const table = `
  bin: main
  main: run program cli child-processes context contract text package.json SIDES LEAVES builtin
  run: program cli context files package-file ui LEAVES
  child-processes: context journal builtin
  program: app batch commands cli context contract text ui LEAVES
  context: contract text SIDES LEAVES
  commands: app cli operations context contract exposure files postgres server text webhooks package-file SIDES LEAVES
  batch: app cli operations context contract exposure files postgres text SIDES LEAVES builtin
  app: cli operations context contract exposure files postgres text package-file SIDES LEAVES builtin
  cli: context contract text ui LEAVES
  operations: client journal webhooks contract text LEAVES builtin
  client: contract http package-file text LEAVES
  http: contract LEAVES
  server: contract LEAVES builtin
  service: contract http sqlite LEAVES builtin
  journal: contract files sqlite postgres text LEAVES builtin
  ui: contract text LEAVES
  webhooks: contract sqlite LEAVES builtin
  profiles: contract exposure files sqlite text LEAVES
  contract: text LEAVES
  sqlite: files LEAVES
  postgres: contract files LEAVES
  exposure: text LEAVES builtin
  files:
  text: builtin
  builtin:
  package-file: errors text builtin
  errors: text
`

const mayImport = new Map(
  table
    .replaceAll('LEAVES', 'errors')
    .replaceAll('SIDES', 'client service journal ui profiles')
    .trim()
    .split('\n')
    .map((line) => line.trim().replace(':', '').split(' '))
    .map((rooms) => [rooms[0], rooms]),
)

/** For `import type` only. */
const mayImportTypes: Readonly<Record<string, readonly string[]>> = {
  ui: ['client', 'journal', 'operations', 'service'],
}

const commandOf = (file: string): string | undefined => /^src\/commands\/([\w-]+)\//.exec(file)?.[1]

const isPure = (file: string): boolean =>
  /^src\/(contract\/|text\/|service\/(catalogue|rules|cards|faults)\.ts$)/.test(file)

const isNamed = (value: unknown, name: string): boolean =>
  isNode(value) && (value.name === name || value.value === name)

/** Names this property of this object, which may itself be a property, as in `session.api.get`. */
const names =
  (object: string, property: string) =>
  ({ nodes }: SourceFile): boolean =>
    nodes.some(
      ({ node }) =>
        isNamed(node.property, property) &&
        isNode(node.object) &&
        (isNamed(node.object, object) || isNamed(node.object.property, object)),
    )

const importsUnrecorded = ({ nodes }: SourceFile): boolean =>
  nodes.some(({ node }) => node.type === 'ImportSpecifier' && isNamed(node.imported, 'requestUnrecorded'))

const isTypeStatement = ({ type, importKind, exportKind, declaration }: Node): boolean =>
  /^TS(TypeAlias|Interface)Declaration$/.test(type) ||
  importKind === 'type' ||
  exportKind === 'type' ||
  (isNode(declaration) && isTypeStatement(declaration))

/** Without an account, and without a value. Help does not know the account. */
const isFixed = (text: string): boolean =>
  /--help$/.test(text) ||
  !/\borderctl (?:(create|confirm|get|redeem|watch|list|find|report|reconcile|batch|listen|journal)\b|((profile|sandbox|serve-mock|completion|doctor|help)\b[^.;,]*\0))/.test(
    text,
  )

/** A text, with a zero byte for each expression. */
const textOf = ({ type, value, quasis }: Node): string => {
  if (type === 'Literal' && typeof value === 'string') return value
  if (type !== 'TemplateLiteral') return ''
  return (quasis as Node[]).map((quasi) => (quasi.value as { cooked: string }).cooked).join('\0')
}

const isSpec = (file: string): boolean => /^src\/(commands\/[\w-]+|batch)\/spec\.ts$/.test(file)
const isHelp = (file: string): boolean => isSpec(file) || /(topics|program\/program)\.ts$/.test(file)

/** A description loads what the command runs, and that has the types of its options from the description. */
const withoutRun = (file: SourceFile): SourceFile =>
  isSpec(file.path) ? { ...file, imports: file.imports.filter(({ isLater }) => !isLater) } : file

/** The rule that `wrong` is true for no file, except these. */
const noFile =
  (wrong: (file: SourceFile) => boolean, ...except: readonly string[]) =>
  (sources: Sources): string[] =>
    sources.filter((file) => !except.includes(file.path) && wrong(file)).map(({ path }) => path)

const rules: Readonly<Record<string, (sources: Sources) => string[]>> = {
  'imports run one way, from room to room': (sources) =>
    sources.flatMap((file) => {
      const room = roomOf(file.path)
      const allowed = mayImport.get(room)
      if (allowed === undefined) return [`${file.path} stands in no room`]
      const allowedTypes = [...allowed, ...(mayImportTypes[room] ?? [])]
      return file.imports
        .filter((each) => !each.isPackage)
        .filter(({ from, typeOnly }) => !(typeOnly ? allowedTypes : allowed).includes(roomOf(from)))
        .map(({ from }) => `${file.path} imports ${from}`)
    }),
  'a command imports no other command; what several need is in app': (sources) =>
    sources
      .filter(({ path }) => commandOf(path) !== undefined)
      .flatMap(({ path, imports }) =>
        imports
          .filter(({ from }) => ![undefined, commandOf(path)].includes(commandOf(from)))
          .map(({ from }) => `${path} imports ${from}`),
      ),
  'no folder has more than 20 files': (sources) =>
    [...Map.groupBy(sources, (file) => path.dirname(file.path))]
      .filter(([, files]) => files.length > 20)
      .map(([folder, { length }]) => `${folder} has ${length} files`),
  'no import comes round to where it began': (sources) =>
    findImportPaths(
      sources.map(withoutRun),
      () => true,
      (trail) => trail.at(-1) === trail[0],
    )
      // Each file of a circle finds it: once will do.
      .filter((trail) => trail[0] === trail.toSorted()[0])
      .map((trail) => trail.join(' → ')),
  "the contract and the service's rules reach no Node module": (sources) =>
    findImportPaths(
      sources,
      ({ typeOnly }) => !typeOnly,
      (trail) => isBuiltin(trail.at(-1) ?? ''),
    )
      .filter(([first]) => isPure(first ?? ''))
      .map((trail) => trail.join(' → ')),
  'nobody calls process.exit': noFile(names('process', 'exit')),
  'context.ts holds types only': noFile(
    ({ path, statements }) => path === 'src/context.ts' && !statements.every(isTypeStatement),
  ),
  // terminal.ts wraps the call, to show that it is pending.
  'only src/operations/read.ts asks for an order, and records the response': noFile(
    names('api', 'get'),
    ...['src/operations/read.ts', 'src/app/terminal.ts'],
  ),
  // A confirm records the response itself, and the order of the other does not exist.
  'only a confirm and the test of an account read without a record': noFile(
    importsUnrecorded,
    ...['src/operations/confirm.ts', 'src/app/checks.ts'],
  ),
  // The exceptions are for the owner of the tables, on another machine.
  'only suggest writes a command with a value or a profile': noFile(
    ({ path, nodes }) => !isHelp(path) && nodes.some(({ node }) => !isFixed(textOf(node))),
    ...['src/postgres/failure.ts', 'src/journal/shared-journal.ts'],
  ),
  'no file is named after nothing': noFile(({ path }) =>
    /(^|[/.-])(utils?|helpers?|types?)([/.-]|$)/.test(path),
  ),
}

const repository = path.resolve(import.meta.dirname, '..')
const found = globSync(['src/**/*.ts', 'bin/*'], { cwd: repository }).sort()
const sources = parseSources(
  Object.fromEntries(found.map((file) => [file, readFileSync(path.join(repository, file), 'utf8')])),
)

test('the sources are found', () => {
  const some = ['bin/orderctl.cjs', 'bin/standalone.cjs', 'src/contract/json.ts', 'src/errors.ts']
  expect(found).toEqual(expect.arrayContaining(some))
})

test.each(Object.entries(rules))('%s', (_, breachesIn) => {
  expect(breachesIn(sources)).toEqual([])
})

const countLines = (file: string): number =>
  readFileSync(path.join(repository, file), 'utf8').split('\n').length - 1

/** Loaded later, but by every run that succeeds. */
const everyRun = ['src/journal/file-journal.ts', 'src/ui/screens/order.ts']

/** The lines that a person may have to read to explain a command: those that its run reaches by imports of values. */
const countReached = (entry: string): number => {
  const byPath = new Map(sources.map((file) => [file.path, file]))
  const seen = new Set<string>()
  const reach = (file: string): void => {
    if (seen.has(file) || !byPath.has(file)) return
    seen.add(file)
    for (const { from, typeOnly, isLater } of byPath.get(file)?.imports ?? [])
      if (!typeOnly && (!isLater || everyRun.includes(from))) reach(from)
  }
  reach(entry)
  return [...seen].reduce((sum, file) => sum + countLines(file), 0)
}

test.each(
  rowsOf(`
    src/commands/get/run.ts | 14500
    src/commands/create/run.ts | 19200
    src/batch/run/run.ts | 22800
    src/commands/serve-mock/run.ts | 6400
  `),
)('%s reaches at most %s lines', (entry = '', most) => {
  expect(countReached(entry)).toBeLessThanOrEqual(Number(most))
})

test('src/ has few files, and few names that two of them export', () => {
  const files = sources.filter(({ path }) => path.startsWith('src/'))
  expect(files.length).toBeLessThanOrEqual(265)
  const exported = files.flatMap(({ path, statements }) =>
    statements.flatMap(({ type, declaration }) => {
      if (type !== 'ExportNamedDeclaration' || !isNode(declaration)) return []
      const declared = Array.isArray(declaration.declarations) ? declaration.declarations : [declaration]
      return declared.filter(isNode).map(({ id }) => ({ name: isNode(id) ? String(id.name) : '', path }))
    }),
  )
  const twice = [...Map.groupBy(exported, ({ name }) => name)].filter(([, all]) => all.length > 1)
  // A command has the name of its operation; each spec exports a command, and each database a schema.
  const names = ['command', 'confirm', 'isStarted', 'reconcile', 'run', 'schema']
  expect(twice.map(([name]) => name).sort()).toEqual(names)
})

/** A file's path and its text, in which ` ; ` divides the lines. */
const made = (...files: readonly string[]): Sources =>
  parseSources(
    Object.fromEntries(
      files.map((file) => {
        const [, name = '', text = ''] = /^(.*?): ?(.*)$/.exec(file) ?? []
        return [name, text.replaceAll(' ; ', '\n')]
      }),
    ),
  )

/** A part of the rule's name, files divided by ` & `, and the breach in them. The last rows of a rule have none. */
const examples = rowsOf(`
  one way | src/client/a.ts: import '../journal/b.ts' | src/client/a.ts imports src/journal/b.ts
  one way | src/ui/a.ts: import { type B, b } from '../journal/b.ts' | src/ui/a.ts imports src/journal/b.ts
  one way | src/journal/a.ts: import type { B } from '../ui/b.ts' | src/journal/a.ts imports src/ui/b.ts
  one way | src/operations/a.ts: await import('../ui/b.ts') | src/operations/a.ts imports src/ui/b.ts
  one way | src/ui/a.ts: await import(name) | src/ui/a.ts imports ?
  one way | bin/orderctl.cjs: load('../dist/program.cjs') | bin/orderctl.cjs imports src/program.ts
  one way | src/attic/a.ts: | src/attic/a.ts stands in no room
  one way | src/service/a.ts: import '../sqlite/open.ts' ; import '../contract/b.ts' ; import './c.ts' ; import 'zod'
  one way | src/ui/a.ts: import type { B } from '../journal/b.ts'
  one way | src/ui/a.ts: // import '../journal/b.ts' ; export const a = 'import "../journal/b.ts"'
  one way | bin/orderctl.cjs: load('../dist/main.cjs')
  no other command | src/commands/get/a.ts: import '../list/b.ts' | src/commands/get/a.ts imports src/commands/list/b.ts
  no other command | src/commands/get/a.ts: import '../../app/a.ts' ; import './b.ts'
  no other command | src/program/a.ts: import '../commands/get/spec.ts'
  20 files | ${Array.from({ length: 21 }, (_, index) => `src/ui/a${index}.ts:`).join(' & ')} | src/ui has 21 files
  comes round | src/ui/a.ts: import type { A } from './a.ts' | src/ui/a.ts → src/ui/a.ts
  comes round | src/ui/b.ts: import './a.ts' & src/ui/a.ts: await import('./b.ts') | src/ui/a.ts → src/ui/b.ts → src/ui/a.ts
  no Node module | src/contract/a.ts: import { sep } from 'node:path' | src/contract/a.ts → node:path
  no Node module | src/text/a.ts: import '../b.ts' & src/b.ts: await import('node:sqlite') | src/text/a.ts → src/b.ts → node:sqlite
  no Node module | src/service/rules.ts: import 'node:fs' | src/service/rules.ts → node:fs
  no Node module | src/service/rules.ts: import type { A } from './a.ts' & src/service/a.ts: import 'node:sqlite'
  process.exit | src/main.ts: process.exit(1) | src/main.ts
  process.exit | src/main.ts: process.exitCode = 2 ; process.on('exit', () => {}) ; exit()
  types only | src/context.ts: export const a = 1 | src/context.ts
  types only | src/context.ts: import type { A } from './a.ts' ; export type B = A ; export interface C {}
  asks for an order | src/operations/a.ts: await session.api.get('o') | src/operations/a.ts
  asks for an order | src/commands/a.ts: const work = api.get | src/commands/a.ts
  without a record | src/operations/a.ts: import { requestUnrecorded as read } from './read.ts' | src/operations/a.ts
  only suggest | src/ui/a.ts: export const a = 'Show them: orderctl list' | src/ui/a.ts
  only suggest | src/ui/a.ts: export const a = \`To use it: orderctl profile use \${name}\` | src/ui/a.ts
  only suggest | src/ui/a.ts: export const a = suggest\`get \${id}\` ; export const b = \`orderctl \${command} --help\`
  only suggest | src/ui/b.ts: export const a = 'Add one: orderctl profile add NAME. orderctl cannot write to it'
  only suggest | src/commands/get/spec.ts: export const a = 'orderctl get @last'
  named after nothing | src/ui/utils.ts: | src/ui/utils.ts
`)

describe('the rules themselves', () => {
  const findRule = (part: string) => Object.entries(rules).find(([name]) => name.includes(part))

  test.each(examples)('%s: %j has the breach %j', (part, files = '', breach) => {
    const breaches = findRule(part ?? '')?.[1](made(...files.split(' & ')))
    expect(breaches).toEqual(breach === undefined ? [] : [breach])
  })

  test('are each tried on a breach', () => {
    const tried = examples.filter(([, , breach]) => breach).map(([part = '']) => findRule(part)?.[0])
    expect(new Set(tried)).toEqual(new Set(Object.keys(rules)))
  })

  test('do not pass over a file that cannot be read', () => {
    expect(() => made('src/ui/a.ts: export const = 1')).toThrow('src/ui/a.ts cannot be read')
  })
})
