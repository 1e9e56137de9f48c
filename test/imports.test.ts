// The import rules of src/, and what no file may do. Each rule is also tested with an example that breaks it.
import { globSync, readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  findImportPaths,
  isNode,
  type Node,
  parseSources,
  type SourceFile,
  type Sources,
  type Visit,
} from './support/source-files.ts'

const roomOf = (file: string): string =>
  file.startsWith('bin/') ? 'bin' : (/^src\/([\w-]+)(\/|\.ts$)/.exec(file)?.[1] ?? file)

/** A room and those that it may import. LEAVES are errors and exit-codes, SIDES the rooms beside each other. */
const table = `
  bin: main
  main: run program child-processes context contract random-id text package.json SIDES LEAVES builtin
  run: program context files package-file ui LEAVES
  child-processes: context journal builtin
  program: app commands cli context contract text ui LEAVES
  context: contract text SIDES LEAVES
  commands: app cli operations context contract exposure files postgres server text webhooks package-file SIDES LEAVES
  app: cli operations context contract exposure files postgres text package-file SIDES LEAVES
  cli: context contract text ui LEAVES
  operations: client journal webhooks contract text LEAVES builtin
  client: contract http package-file text LEAVES
  http: contract LEAVES
  server: contract LEAVES builtin
  service: contract http sqlite LEAVES builtin
  journal: contract files random-id sqlite postgres text LEAVES
  ui: contract text LEAVES
  webhooks: contract sqlite LEAVES builtin
  profiles: contract exposure files sqlite text LEAVES
  contract: LEAVES
  sqlite: files LEAVES
  postgres: contract files LEAVES
  exposure: private-group text LEAVES builtin
  private-group: builtin
  files:
  text:
  builtin:
  random-id: builtin
  package-file: errors text builtin
  errors: exit-codes text
  exit-codes:`

const mayImport: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  table
    .replaceAll('LEAVES', 'errors exit-codes')
    .replaceAll('SIDES', 'client service journal ui profiles')
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/:? /))
    .map(([room = '', ...rooms]) => [room.replace(':', ''), rooms]),
)

/** For `import type` only. */
const mayImportTypes: Readonly<Record<string, readonly string[]>> = {
  ui: ['client', 'journal', 'operations', 'service'],
}

const commandOf = (file: string): string | undefined => /^src\/commands\/([\w-]+)\//.exec(file)?.[1]

const isPure = (file: string): boolean =>
  /^src\/(contract\/|text\/|service\/((catalogue|pricing|lifecycle|cards|redeem|order-text)|faults\/(faults|inject))\.ts$)/.test(
    file,
  )

const asksForOrder = ({ nodes }: SourceFile): boolean =>
  nodes.some(
    ({ node }) =>
      isNamed(node.property, 'get') &&
      isNode(node.object) &&
      (isNamed(node.object, 'api') || isNamed(node.object.property, 'api')),
  )

const importsUnrecorded = ({ nodes }: SourceFile): boolean =>
  nodes.some(({ node }) => node.type === 'ImportSpecifier' && isNamed(node.imported, 'requestUnrecorded'))

const filesWhere = (sources: Sources, wrong: (file: SourceFile) => boolean): string[] =>
  sources.filter(wrong).map((file) => file.path)

const isNamed = (value: unknown, name: string): boolean =>
  isNode(value) && (value.name === name || value.value === name)

const isProcessModule = (name: unknown): boolean => name === 'node:process' || name === 'process'

// The name of a field is none of the variable's.
const isField = ({ parent, key }: Visit): boolean =>
  parent.computed !== true && parent.shorthand !== true && (key === 'key' || key === 'property')

const namesProcess = ({ imports, nodes }: SourceFile): boolean =>
  imports.some(({ from }) => isProcessModule(from)) ||
  nodes.some(
    (visit) =>
      visit.node.type === 'Identifier' &&
      visit.node.name === 'process' &&
      (!isField(visit) || isNamed(visit.parent.object, 'globalThis')),
  )

const callsExit = ({ nodes }: SourceFile): boolean =>
  nodes.some(({ node, parent }) => {
    if (node.type === 'ImportSpecifier')
      return isNamed(node.imported, 'exit') && isNode(parent.source) && isProcessModule(parent.source.value)
    const { property, object } = node
    if (!isNamed(property, 'exit') || !isNode(object)) return false
    return isNamed(object, 'process') || isNamed(object.property, 'process')
  })

const isTypeStatement = ({ type, importKind, exportKind, declaration }: Node): boolean =>
  /^TS(TypeAlias|Interface)Declaration$/.test(type) ||
  importKind === 'type' ||
  exportKind === 'type' ||
  (isNode(declaration) && isTypeStatement(declaration))

const isReExport = ({ type, source }: Node): boolean => /^Export/.test(type) && isNode(source)

const isBarrel = ({ path, statements }: SourceFile): boolean =>
  /\/index\.\w+$/.test(path) ||
  statements.some(({ type }) => type === 'ExportAllDeclaration') ||
  (statements.some(isReExport) &&
    statements.every((node) => isReExport(node) || node.type === 'ImportDeclaration'))

const isDefaultExport = ({ type, exported }: Node): boolean =>
  type === 'ExportDefaultDeclaration' || (type === 'ExportSpecifier' && isNamed(exported, 'default'))

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

const isSpec = (file: string): boolean => /^src\/commands\/[\w-]+\/([\w-]+-)?spec\.ts$/.test(file)

/** A description loads what the command runs, and that has the types of its options from the description. */
const withoutRun = (file: SourceFile): SourceFile =>
  isSpec(file.path) ? { ...file, imports: file.imports.filter(({ isLater }) => !isLater) } : file

const isHelp = (file: string): boolean => isSpec(file) || /(topics|program\/help)\.ts$/.test(file)

const oneWay = 'imports run one way, from room to room'
const apart = 'a command imports no other command; what several need is in app'
const noCycle = 'no import comes round to where it began'
const pure = "the contract and the service's rules reach no Node module"
const noProcess = 'only main.ts names process, and builtin.ts, for the modules of Node'
const noExit = 'nobody calls process.exit'
const typesOnly = 'context.ts holds types only'
const onlyConf = 'only src/profiles imports conf'
const onlyRead = 'only src/operations/read.ts asks for an order, and records the response'
const onlyPg = 'only src/postgres imports pg'
const fewFiles = 'no folder has more than 25 files'
const noDefault = 'there are no default exports'
const noBarrel = 'there are no barrel files'
const goodName = 'no file is named after nothing'
const onlySuggest = 'only suggest writes a command with a value or a profile'

const rules: ReadonlyMap<string, (sources: Sources) => string[]> = new Map([
  [
    oneWay,
    (sources) =>
      sources.flatMap((file) => {
        const room = roomOf(file.path)
        const allowed = mayImport[room]
        if (allowed === undefined) return [`${file.path} stands in no room`]
        const allowedTypes = [room, ...allowed, ...(mayImportTypes[room] ?? [])]
        return file.imports
          .filter(({ from, isPackage, typeOnly }) => {
            const rooms = typeOnly ? allowedTypes : [room, ...allowed]
            return !isPackage && !rooms.includes(roomOf(from))
          })
          .map(({ from }) => `${file.path} imports ${from}`)
      }),
  ],
  [
    apart,
    (sources) =>
      sources.flatMap(({ path, imports }) =>
        imports
          .filter(({ from }) => ![undefined, commandOf(path)].includes(commandOf(from)))
          .filter(() => commandOf(path) !== undefined)
          .map(({ from }) => `${path} imports ${from}`),
      ),
  ],
  [
    fewFiles,
    (sources) =>
      [...Map.groupBy(sources, (file) => path.dirname(file.path))]
        .filter(([, files]) => files.length > 25)
        .map(([folder, { length }]) => `${folder} has ${length} files`),
  ],
  [
    noCycle,
    (sources) =>
      findImportPaths(
        sources.map(withoutRun),
        () => true,
        (trail) => trail.at(-1) === trail[0],
      )
        // Each file of a circle finds it: once will do.
        .filter((trail) => trail[0] === trail.toSorted()[0])
        .map((trail) => trail.join(' → ')),
  ],
  [
    pure,
    (sources) =>
      findImportPaths(
        sources,
        ({ typeOnly }) => !typeOnly,
        (trail) => isBuiltin(trail.at(-1) ?? ''),
      )
        .filter(([first]) => isPure(first ?? ''))
        .map((trail) => trail.join(' → ')),
  ],
  [
    noProcess,
    (sources) =>
      filesWhere(
        sources,
        (file) => !['bin', 'main', 'builtin'].includes(roomOf(file.path)) && namesProcess(file),
      ),
  ],
  [noExit, (sources) => filesWhere(sources, callsExit)],
  [
    typesOnly,
    (sources) =>
      filesWhere(
        sources,
        (file) => file.path === 'src/context.ts' && !file.statements.every(isTypeStatement),
      ),
  ],
  ...Object.entries({ conf: 'profiles', pg: 'postgres' }).map(
    ([name, room]) =>
      [
        `only src/${room} imports ${name}`,
        (sources: Sources) =>
          filesWhere(
            sources,
            ({ path, imports }) => roomOf(path) !== room && imports.some(({ from }) => from === name),
          ),
      ] as const,
  ),
  [
    onlyRead,
    (sources) =>
      filesWhere(
        sources,
        (file) =>
          // It wraps the call, to show that it is pending.
          (asksForOrder(file) && !['src/operations/read.ts', 'src/app/waiting.ts'].includes(file.path)) ||
          // A confirm records the response itself, and the order of the other does not exist.
          (importsUnrecorded(file) &&
            !['src/operations/settle.ts', 'src/app/checks/probe-account.ts'].includes(file.path)),
      ),
  ],
  [
    noDefault,
    (sources) => filesWhere(sources, ({ nodes }) => nodes.some(({ node }) => isDefaultExport(node))),
  ],
  [noBarrel, (sources) => filesWhere(sources, isBarrel)],
  [
    onlySuggest,
    (sources) =>
      filesWhere(
        sources,
        ({ path, nodes }) =>
          !isHelp(path) &&
          // It is for the owner of the tables, on another machine.
          path !== 'src/postgres/failure.ts' &&
          path !== 'src/journal/shared/shared-journal.ts' &&
          nodes.some(({ node }) => !isFixed(textOf(node))),
      ),
  ],
  [
    goodName,
    (sources) => filesWhere(sources, ({ path }) => /(^|[/.-])(utils?|helpers?|types?)([/.-]|$)/.test(path)),
  ],
])

const repository = path.resolve(import.meta.dirname, '..')
const found = globSync(['src/**/*.ts', 'bin/*'], { cwd: repository }).sort()
const sources = parseSources(
  Object.fromEntries(found.map((file) => [file, readFileSync(path.join(repository, file), 'utf8')])),
)

test('the sources are found', () => {
  expect(found).toEqual(
    expect.arrayContaining([
      'bin/orderctl.cjs',
      'bin/standalone.cjs',
      'src/contract/json.ts',
      'src/errors.ts',
    ]),
  )
})

test.each([...rules])('%s', (_, breachesIn) => {
  expect(breachesIn(sources)).toEqual([])
})

/** One line a case: `file: text`, the file's lines divided by ` ; `. */
const made = (...files: readonly string[]): Sources =>
  parseSources(
    Object.fromEntries(
      files.map((file) => {
        const [name = '', ...text] = file.split(': ')
        return [name, text.join(': ').replaceAll(' ; ', '\n')]
      }),
    ),
  )

const breaches: [rule: string, files: string[], found: string][] = [
  [oneWay, ["src/client/a.ts: import '../journal/b.ts'"], 'src/client/a.ts imports src/journal/b.ts'],
  [
    oneWay,
    ["src/ui/a.ts: import { type B, b } from '../journal/b.ts'"],
    'src/ui/a.ts imports src/journal/b.ts',
  ],
  [oneWay, ["src/journal/a.ts: import type { B } from '../ui/b.ts'"], 'src/journal/a.ts imports src/ui/b.ts'],
  [onlyRead, ["src/operations/a.ts: await session.api.get('o')"], 'src/operations/a.ts'],
  [onlyRead, ['src/commands/a.ts: const work = api.get'], 'src/commands/a.ts'],
  [
    onlyRead,
    ["src/operations/a.ts: import { requestUnrecorded as read } from './read.ts'"],
    'src/operations/a.ts',
  ],
  [oneWay, ["src/operations/a.ts: await import('../ui/b.ts')"], 'src/operations/a.ts imports src/ui/b.ts'],
  [oneWay, ['src/ui/a.ts: await import(name)'], 'src/ui/a.ts imports ?'],
  [oneWay, ["bin/orderctl.cjs: load('../dist/program.cjs')"], 'bin/orderctl.cjs imports src/program.ts'],
  [oneWay, ['src/attic/a.ts: '], 'src/attic/a.ts stands in no room'],
  [
    apart,
    ["src/commands/get/run.ts: import '../list/run.ts'"],
    'src/commands/get/run.ts imports src/commands/list/run.ts',
  ],
  [fewFiles, Array.from({ length: 26 }, (_, index) => `src/ui/a${index}.ts: `), 'src/ui has 26 files'],
  [noCycle, ["src/ui/a.ts: import type { A } from './a.ts'"], 'src/ui/a.ts → src/ui/a.ts'],
  [
    noCycle,
    ["src/ui/b.ts: import './c.ts'", "src/ui/c.ts: await import('./a.ts')", "src/ui/a.ts: import './b.ts'"],
    'src/ui/a.ts → src/ui/b.ts → src/ui/c.ts → src/ui/a.ts',
  ],
  [pure, ["src/contract/a.ts: import { sep } from 'node:path'"], 'src/contract/a.ts → node:path'],
  [
    pure,
    ["src/service/pricing.ts: import './store.ts'", "src/service/store.ts: await import('node:sqlite')"],
    'src/service/pricing.ts → src/service/store.ts → node:sqlite',
  ],
  [noProcess, ['src/ui/a.ts: export const a = process.env.CI'], 'src/ui/a.ts'],
  [noProcess, ["src/ui/a.ts: import { stdout } from 'node:process'"], 'src/ui/a.ts'],
  [noProcess, ['src/ui/a.ts: export const a = { process }'], 'src/ui/a.ts'],
  [noExit, ['src/main.ts: process.exit(1)'], 'src/main.ts'],
  [noExit, ["bin/a.js: import { exit as leave } from 'node:process'"], 'bin/a.js'],
  [typesOnly, ['src/context.ts: export const a = 1'], 'src/context.ts'],
  [onlyConf, ["src/commands/a.ts: await import('conf')"], 'src/commands/a.ts'],
  [onlyPg, ["src/journal/a.ts: import { Client } from 'pg'"], 'src/journal/a.ts'],
  [noDefault, ['src/ui/a.ts: export default 1'], 'src/ui/a.ts'],
  [noBarrel, ["src/ui/a.ts: export { b } from './b.ts' ; export { c } from './c.ts'"], 'src/ui/a.ts'],
  [noBarrel, ["src/ui/a.ts: export * from './b.ts' ; export const a = 1"], 'src/ui/a.ts'],
  [onlySuggest, ["src/ui/a.ts: export const a = 'Show them: orderctl list'"], 'src/ui/a.ts'],
  [onlySuggest, ['src/ui/a.ts: export const a = `To use it: orderctl profile use ${name}`'], 'src/ui/a.ts'],
  [goodName, ['src/ui/utils.ts: '], 'src/ui/utils.ts'],
]

const harmless: [rule: string, files: string[]][] = [
  [
    oneWay,
    [
      "src/service/a.ts: import '../sqlite/open.ts' ; import '../contract/b.ts' ; import './c.ts' ; import 'zod'",
    ],
  ],
  [oneWay, ["src/ui/a.ts: import type { B } from '../journal/b.ts'"]],
  [oneWay, ["src/ui/a.ts: // import '../journal/b.ts' ; export const a = `import '../journal/b.ts'`"]],
  [oneWay, ["bin/orderctl.cjs: load('../dist/main.cjs')"]],
  [
    apart,
    [
      "src/commands/get/run.ts: import '../../app/a.ts' ; import './b.ts'",
      "src/program/a.ts: import '../commands/get/spec.ts'",
    ],
  ],
  [
    pure,
    ["src/service/pricing.ts: import type { A } from './a.ts'", "src/service/a.ts: import 'node:sqlite'"],
  ],
  [noProcess, ["src/ui/a.ts: // process.env ; export const a = { process: 'process.env' }.process"]],
  [noExit, ["src/main.ts: process.exitCode = 2 ; process.on('exit', () => {}) ; exit()"]],
  [
    typesOnly,
    ["src/context.ts: import type { A } from './a.ts' ; export type B = A ; export interface C {}"],
  ],
  [noBarrel, ["src/ui/a.ts: import { b } from './b.ts' ; export { c } from './c.ts' ; export const a = b"]],
  [
    onlySuggest,
    [
      'src/ui/a.ts: export const a = suggest`get ${id}` ; export const b = `orderctl ${command} --help`',
      "src/ui/b.ts: export const a = 'Add one: orderctl profile add NAME. orderctl cannot write to it'",
      "src/commands/get/spec.ts: export const a = 'orderctl get @last'",
    ],
  ],
]

describe('the rules themselves', () => {
  test.each(breaches)('%s: it is found that %j does not keep to it', (rule, files, found) => {
    expect(rules.get(rule)?.(made(...files))).toEqual([found])
  })

  test.each(harmless)('%s: nothing is found in %j', (rule, files) => {
    expect(rules.get(rule)?.(made(...files))).toEqual([])
  })

  test('are each tried on a breach', () => {
    expect(new Set(breaches.map(([rule]) => rule))).toEqual(new Set(rules.keys()))
  })

  test('do not pass over a file that cannot be read', () => {
    expect(() => made('src/ui/a.ts: export const = 1')).toThrow('src/ui/a.ts cannot be read')
  })
})
