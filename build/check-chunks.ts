// Checks the chunks of dist/ together: loads each as the first that a command needs and takes its lazy paths. Prints
// every missing chunk and export. A separate process, because main.cjs runs a command when it is loaded.
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'

type Exports = Readonly<Record<string, unknown>>

type LazyPath = {
  readonly chunk: string
  /** The chunk's export that contains the module's exports, if the chunk contains several modules. */
  readonly part: string | undefined
  /** The module's exports that the path reads at once. */
  readonly names: readonly string[]
}

const folder = path.resolve(process.argv[2] ?? 'dist')
const require = createRequire(path.join(folder, 'main.cjs'))
const problems = new Set<string>()

/** `{one:a}=await Promise.resolve().then((()=>require("./x.cjs"))).then((e=>e.t))`, or `(await …).one`. */
const lazyImport =
  /(?:(\(|\{[\w$:,]+\}=)await )?Promise\.resolve\(\)\.then\(\(\(\)=>require\("\.\/([^"]+)"\)\)\)(?:\.then\(\(([\w$]+)=>\3\.([\w$]+)\)\))?(?:\)\.([\w$]+))?/g

const findLazyPaths = (code: string): LazyPath[] =>
  [...code.matchAll(lazyImport)].map(([, before = '', chunk = '', , part, after]) => {
    const destructured = [...before.matchAll(/[{,]([\w$]+)/g)].map(([, name = '']) => name)
    return { chunk, part, names: before === '(' && after !== undefined ? [after] : destructured }
  })

const load = (chunk: string, by: string): Exports => {
  try {
    return require(`./${chunk}`)
  } catch (error) {
    problems.add(`${by}: ${chunk} cannot be loaded: ${(error as Error).message.split('\n')[0]}`)
    return {}
  }
}

/** By reading each: an export may be a getter that throws. */
const checkExports = (chunk: string, exports: Exports): void => {
  for (const name of Object.keys(exports)) {
    try {
      if (exports[name] === undefined) problems.add(`${chunk}: its export ${name} is undefined`)
    } catch (error) {
      problems.add(`${chunk}: its export ${name} cannot be read: ${(error as Error).message}`)
    }
  }
}

const takeLazyPath = (chunk: string, lazy: LazyPath): void => {
  const loaded = load(lazy.chunk, chunk)
  const exports = (lazy.part === undefined ? loaded : loaded[lazy.part]) as Exports | undefined
  checkExports(lazy.chunk, exports ?? {})
  for (const name of lazy.names) {
    if (exports?.[name] === undefined) problems.add(`${chunk}: ${lazy.chunk} does not export ${name}`)
  }
}

const forgetChunks = (): void => {
  for (const file of Object.keys(require.cache)) {
    if (file.startsWith(folder)) delete require.cache[file]
  }
}

// Each load of main.cjs prints the version and listens to signals.
process.argv.splice(2, Infinity, '--version')
process.setMaxListeners(0)

const chunks = readdirSync(folder).filter((file) => file.endsWith('.cjs'))
for (const chunk of chunks) {
  forgetChunks()
  load('main.cjs', chunk)
  checkExports(chunk, load(chunk, chunk))
  const code = readFileSync(path.join(folder, chunk), 'utf8')
  const lazyPaths = findLazyPaths(code)
  for (const each of lazyPaths) takeLazyPath(chunk, each)
  // Modules that a function of the source requires itself, such as chalk.
  for (const [, required = ''] of code.matchAll(/=\(\(\)=>require\("\.\/([^"]+)"\)\)/g))
    checkExports(required, load(required, chunk))
  // The bundler may write a path in a different form one day.
  const written = code.split('.then((()=>require("./').length - 1
  if (written !== lazyPaths.length)
    problems.add(`${chunk}: ${written} lazy paths, but build/check-chunks.ts reads only ${lazyPaths.length}`)
}
for (const problem of problems) console.error(problem)
process.exit(problems.size > 0 ? 1 : 0)
