// How src/ becomes dist/: CommonJS in chunks, each loaded when a command first needs it. Not ES modules: their
// import of a module of Node reads every export of it, getters and all, and so loads half of Node (12 ms).
import path from 'node:path'
import { build, type CodeSplittingNameFunction, type Plugin } from 'rolldown'
import { compileWhatIsCalled } from './eager.ts'

const nothing = 'module.exports = {}'

/** What a package would load, and is not used here: who asks for what, and what it is given. */
const unused = new Map([
  // commander runs subcommands that are programs. 3 ms.
  ['commander node:child_process', 'export default undefined'],
  // chalk looks for itself what the outputs' colours are. 4 ms.
  ['chalk #supports-color', 'export default { stdout: false, stderr: false }'],
  // undici is asked for HTTP/1.1 alone, and given bodies of text alone. 4 ms, and 200 KB.
  ['undici ./client-h2.js', nothing],
  ['undici ../web/fetch/body.js', nothing],
  ['undici ../web/fetch/formdata', nothing],
  ['undici ../web/webidl', nothing],
  // It wants to know the largest head there may be (Node's own default), and what is not among its bodies. 2 ms.
  ['undici node:http', 'module.exports = { maxHeaderSize: 16384, IncomingMessage: class {} }'],
  // Its assumptions are still held, with less to say where one is not. 3 ms.
  [
    'undici node:assert',
    "module.exports = (holds, why) => { if (!holds) throw why instanceof Error ? why : new Error(why ?? 'undici') }",
  ],
])

const withoutUnused: Plugin = {
  name: 'without-unused',
  resolveId: (id, importer) => {
    const key = `${/node_modules\/([^/]+)/.exec(importer ?? '')?.[1]} ${id}`
    return unused.has(key) ? `\0${key}` : null
  },
  load: (id) => unused.get(id.slice(1)) ?? null,
}

/**
 * An import of all of a module of Node, without the copy of it that CommonJS would make for one of ES modules.
 * And `require` as it is written: bundled, and run where it is called.
 */
const asCommonJs: Plugin = {
  name: 'as-common-js',
  transform: (code, id) =>
    code
      .replaceAll(/^import (\w+) from ['"](node:[\w/]+)['"];?$/gm, (whole, name, from) =>
        from === 'node:child_process' && id.includes('/commander/')
          ? whole
          : `const ${name} = globalThis.process.getBuiltinModule('${from}')`,
      )
      .replace("import { createRequire } from 'node:module'\n", '')
      .replace('const require = createRequire(import.meta.url)\n', ''),
}

// To find a file takes Node a quarter of a millisecond, so what is always loaded together stands in one: what these
// import, of which the first need not wait for the others.
const roots = [
  'main',
  'commands/completion/complete',
  'commands/completion/candidates',
  'journal/look',
  'commands/get/run',
  'journal/journal',
  'contract/limits',
  'service/embedded',
].map((name) => path.resolve('src', `${name}.ts`))

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

/** The file's name; with its folder's, for names that each command's folder has. */
const chunkName = (file: string): string =>
  path
    .relative('src', file)
    .replace(/\.[tj]s$/, '')
    .replace(/^commands\/([\w-]+)\/(run|flags|options|screen)$/, '$1-$2')
    .replace(/^.*\//, '')

let neededBy: readonly (readonly [root: string, ids: ReadonlySet<string>])[] | undefined
const firstToNeed: CodeSplittingNameFunction = (id, graph) => {
  const importsOf = (importer: string) => graph.getModuleInfo(importer)?.importedIds ?? []
  neededBy ??= roots.map((root) => [root, withImports(root, importsOf)])
  const [root] = neededBy.find(([, ids]) => ids.has(id)) ?? []
  return root === undefined || root === roots[0] ? null : chunkName(root)
}

await build({
  input: 'src/main.ts',
  preserveEntrySignatures: 'allow-extension',
  platform: 'node',
  plugins: [withoutUnused, asCommonJs],
  // undici's own switch, by which it leaves out a second parser that is an experiment.
  transform: { define: { esbuildDetection: 'true' } },
  output: {
    dir: 'dist',
    cleanDir: true,
    format: 'cjs',
    // As the tests run it.
    strict: true,
    dynamicImportInCjs: false,
    entryFileNames: '[name].cjs',
    chunkFileNames: ({ facadeModuleId, name }) =>
      `${facadeModuleId ? chunkName(facadeModuleId) : name}-[hash].cjs`,
    minify: true,
    comments: false,
    codeSplitting: {
      includeDependenciesRecursively: false,
      groups: [{ name: firstToNeed, debugName: 'roots' }],
    },
  },
})

try {
  compileWhatIsCalled()
} catch (error) {
  // It starts some milliseconds later: no reason not to have it.
  console.error(
    `the rehearsal failed, what is called at a start is compiled late: ${(error as Error).message}`,
  )
}
