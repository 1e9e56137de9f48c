// Bundles src/ into dist/: CommonJS chunks, each loaded when a command first needs it.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { build, type CodeSplittingNameFunction, type Plugin } from 'rolldown'
import { parseSync, Visitor } from 'rolldown/utils'
import { licensesOf, listPackages } from './licenses.ts'

// A number in ms is the additional processor time of a whole run without the measure: the median of 60 pairs of runs. A
// run of `get` over the network takes about 90 ms. A measure that saves less than 2 ms is not worth its lines.

/** Parts of packages that orderctl does not use, by importer and specifier, and the module that replaces each. */
const stubs = new Map([
  // For subcommands that are programs of their own. --version 3 ms, get --json 3 ms.
  ['commander node:child_process', 'export default undefined'],
  // orderctl detects colour support itself. Coloured list 4 ms.
  ['chalk #supports-color', 'export default { stdout: false, stderr: false }'],
  // orderctl speaks HTTP/1.1 only. get over the network 26 ms.
  ['undici ./client-h2.js', 'module.exports = {}'],
  // undici reads the maximum header size of Node there. get over the network 2 ms.
  ['undici node:http', 'module.exports = { maxHeaderSize: 16384, IncomingMessage: class {} }'],
  // A JSON Schema validator of 295 KB for questions to the user, which mcp never asks. mcp passes its streams.
  [
    '@modelcontextprotocol @modelcontextprotocol/server/_shims',
    'export const DefaultJsonSchemaValidator = class {}; export const process = {}',
  ],
  // conf validates only with a schema, and orderctl checks profiles itself. profile add 4 ms, dist/ 155 kB.
  ['conf ajv/dist/2020.js', 'export const Ajv2020 = undefined'],
  ['conf ajv-formats', 'export default undefined'],
  // For a client written in C, which is not installed.
  ['pg ./native', 'module.exports = {}'],
  // It measures only placeholders of one column each. Without colours, it also needs no list of them.
  ['cli-table3 string-width', 'module.exports = (text) => text.length'],
  ['cli-table3 @colors/colors/safe', 'module.exports = {}'],
])

const stubUnused: Plugin = {
  name: 'stub-unused',
  resolveId: (id, importer) => {
    const key = `${/node_modules\/([^/]+)/.exec(importer ?? '')?.[1]} ${id}`
    return stubs.has(key) ? `\0${key}` : null
  },
  load: (id) => stubs.get(id.slice(1)) ?? null,
}

/**
 * Packages in separate files, because src/ requires them when it first needs them. Code that may print after money was
 * spent requires them before. list 7 ms, get 7 ms, get --json 2 ms.
 */
const requiredLater = { chalk: 'chalk', 'cli-table3': 'cli-table3' }
const filesRequired = Object.keys(requiredLater).map((name) => `./${name}.cjs`)

/** Bundles what src/ requires by `createRequire`, which the bundler does not follow. Such a module runs when it is required. */
const followRequire: Plugin = {
  name: 'follow-require',
  resolveId: (id) => (filesRequired.includes(id) ? { id, external: true } : null),
  transform: (code, id) =>
    id.startsWith(path.resolve('src'))
      ? Object.entries(requiredLater).reduce(
          (text, [name, module]) => text.replace(`require('${module}')`, `require('./${name}.cjs')`),
          code
            .replace("import { createRequire } from 'node:module'\n", '')
            .replace(/^const require = .*createRequire\(import\.meta\.url\)\n/m, ''),
        )
      : null,
}

/**
 * The library of mcp uses all of zod, which would then be in every chunk that uses a part of it. So mcp has its own
 * copy. create 2 ms.
 */
const copyZodForMcp: Plugin = {
  name: 'copy-zod-for-mcp',
  async resolveId(id, importer) {
    if (!/@modelcontextprotocol|commands.mcp|\?mcp$/.test(importer ?? '')) return null
    const found = await this.resolve(id, importer)
    return found !== null && /[\\/]zod[\\/]/.test(found.id) && !found.id.endsWith('?mcp')
      ? { ...found, id: `${found.id}?mcp` }
      : found
  },
  load: (id) => (id.endsWith('?mcp') ? readFileSync(id.slice(0, -'?mcp'.length), 'utf8') : null),
}

/**
 * If a Node module's default export is imported, the bundler copies each of its properties. --version 1 ms, and TAB 1
 * ms.
 */
const requireNode: Plugin = {
  name: 'require-node',
  transform: (code) => code.replace(/^import (\w+) from '(node:\w+)';?$/gm, "const $1 = require('$2')"),
}

/** With NODE_DEBUG, undici would print the URL of each request, which may contain the key. */
const printNoUrls: Plugin = {
  name: 'print-no-urls',
  transform: (code) => code.replaceAll(/util\.debuglog\('(?:undici|fetch)'\)/g, '{ enabled: false }'),
}

/** The global `performance` of undici's check of idle connections would load node:perf_hooks. get over the network 1 ms. */
const useProcessClock: Plugin = {
  name: 'use-process-clock',
  transform: (code, id) =>
    id.includes('/undici/')
      ? code.replaceAll('performance.now()', '(Number(process.hrtime.bigint()) / 1e6)')
      : null,
}

/**
 * Puts function expressions in parentheses. V8 then compiles them with their file, and the compile cache keeps them.
 * It would compile all others again at each start. get --json 5 ms, list 4 ms.
 */
const compileEagerly: Plugin = {
  name: 'compile-eagerly',
  generateBundle: (_, bundle) => {
    for (const chunk of Object.values(bundle)) {
      if (chunk.type === 'chunk') chunk.code = parenthesizeFunctions(chunk.code)
    }
  },
}

const parenthesizeFunctions = (code: string): string => {
  const inserts: { readonly at: number; readonly text: string }[] = []
  const mark = ({ start, end }: { readonly start: number; readonly end: number }): void => {
    inserts.push({ at: start, text: '(' }, { at: end, text: ')' })
  }
  new Visitor({
    ArrowFunctionExpression: mark,
    // A method begins with its parameters and cannot be put in parentheses.
    FunctionExpression: (node) => code[node.start] !== '(' && mark(node),
  }).visit(parseSync('chunk.cjs', code).program)
  inserts.sort((one, other) => one.at - other.at)
  const pieces = inserts.map(({ at, text }, index) => code.slice(inserts[index - 1]?.at ?? 0, at) + text)
  return pieces.join('') + code.slice(inserts.at(-1)?.at ?? 0)
}

/**
 * V8 keeps a file that is not all ASCII as two bytes a character, and collects garbage earlier: get --json 2 ms. So other
 * characters become escapes. In a text or pattern, an escape means the same; nowhere else is such a character.
 */
const writeAscii: Plugin = {
  name: 'write-ascii',
  generateBundle: (_, bundle) => {
    for (const chunk of Object.values(bundle)) {
      if (chunk.type !== 'chunk') continue
      const toEscape = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
      if (/(?<!\\)(?:\\\\)*\\[^\0-\x7f]|\.raw`[^`]*[^\0-\x7f]/.test(chunk.code))
        throw new Error(`${chunk.fileName} cannot be written in ASCII`)
      chunk.code = chunk.code.replaceAll(/[^\0-\x7f]/g, toEscape)
    }
  },
}

/**
 * The modules that are always loaded together share a chunk: the roots on one line and their imports that no earlier root
 * imports. Node needs 0.25 ms to find a file. get --json 9 ms, get over the network 9 ms, list 5 ms.
 */
const roots = [
  ['main'],
  ['cli/flags'],
  ['commands/completion/complete'],
  ['commands/completion/candidates', 'journal/read-only'],
  ['commands/get/run', 'journal/file-journal', 'journal/orders/list-orders'],
  ['ui/screens/order'],
  ['service/embedded'],
  ['cli/read-moment'],
  ['app/listed-orders', 'ui/screens/orders'],
  ['operations/confirm', 'app/open-to-send', 'app/send-order', 'app/output/watch-orders'],
  ['app/product-list', 'operations/create'],
  ['client/network'],
].map((names) =>
  names.map((name) => {
    const file = path.resolve('src', `${name}.ts`)
    if (!existsSync(file)) throw new Error(`${file} does not exist, so it cannot be the root of a chunk`)
    return file
  }),
)

const withImports = (
  id: string,
  importsOf: (id: string) => readonly string[],
  found = new Set<string>(),
): Set<string> => {
  if (found.has(id)) return found
  found.add(id)
  for (const imported of importsOf(id)) withImports(imported, importsOf, found)
  return found
}

/** The file name. A name that is in every command's folder gets the command's name. */
const chunkNameOf = (file: string): string =>
  path
    .relative('src', file)
    .replace(/\.[tj]s$/, '')
    .replace(/^(?:commands\/)?([\w-]+)\/(run|spec|screen)$/, '$1-$2')
    .replace(/^.*\//, '')

let modulesByRoot: readonly (readonly [root: string | undefined, ids: ReadonlySet<string>])[] | undefined

const sharedChunkOf: CodeSplittingNameFunction = (id, graph) => {
  const importsOf = (importer: string) => graph.getModuleInfo(importer)?.importedIds ?? []
  modulesByRoot ??= roots.map((files) => {
    const ids = new Set<string>()
    for (const file of files) withImports(file, importsOf, ids)
    return [files[0], ids]
  })
  const [root] = modulesByRoot.find(([, ids]) => ids.has(id)) ?? []
  return root === undefined || root === roots[0]?.[0] ? null : chunkNameOf(root)
}

const { output } = await build({
  input: { main: 'src/main.ts', ...requiredLater },
  preserveEntrySignatures: 'allow-extension',
  platform: 'node',
  plugins: [
    stubUnused,
    followRequire,
    copyZodForMcp,
    requireNode,
    printNoUrls,
    useProcessClock,
    compileEagerly,
    writeAscii,
  ],
  // Both would print warnings among the output of npm: on a busy machine, and for modules that share a chunk on purpose.
  checks: { bundlerTimings: false, ineffectiveDynamicImport: false },
  // undici's own switch that omits its second parser: 160 KB of dist/, and 1 ms.
  transform: { define: { esbuildDetection: 'true' } },
  output: {
    dir: 'dist',
    cleanDir: true,
    // An ES module that imports a Node module runs all its getters, which load half of Node: 12 ms.
    format: 'cjs',
    exports: 'named',
    // Like the tests, which run ES modules.
    strict: true,
    dynamicImportInCjs: false,
    entryFileNames: '[name].cjs',
    chunkFileNames: ({ facadeModuleId, name }) =>
      `${facadeModuleId ? chunkNameOf(facadeModuleId) : name}-[hash].cjs`,
    // A defect's stack shows function names.
    minify: { compress: true, mangle: { keepNames: true }, codegen: true },
    comments: false,
    codeSplitting: {
      includeDependenciesRecursively: false,
      groups: [{ name: sharedChunkOf, debugName: 'roots' }],
    },
  },
})

const moduleIds = output.flatMap((each) => (each.type === 'chunk' ? each.moduleIds : []))
writeFileSync('dist/THIRD_PARTY_LICENSES', licensesOf(moduleIds))
// For the bill of materials of a release.
writeFileSync('dist/packages.json', `${JSON.stringify(listPackages(moduleIds), undefined, 2)}\n`)
// The browser loads these files as they are.
cpSync('src/service/inspector/page', 'dist/inspector', { recursive: true })
// For `help --guide`.
const isGuide = (file: string): boolean => file === 'docs' || /[\\/](?!commands)[a-z-]+\.md$/.test(file)
cpSync('docs', 'dist/guides', { recursive: true, filter: isGuide })

// A package that is required runs at that moment. If other code imports a class of it, rolldown exports the class
// before that: undefined. So a package that is required in one place must be required everywhere.
const { status } = spawnSync(process.execPath, ['build/check-chunks.ts'], {
  stdio: ['ignore', 'ignore', 'inherit'],
})
process.exitCode = status ?? 1
