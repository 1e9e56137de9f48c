// What is called most is run while building, so that both executables know which functions a start needs.
import { execFileSync } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Script } from 'node:vm'

/** Over the network and not. */
const rehearsed = [
  ['--version'],
  ['--help'],
  ['create', '--help'],
  ['__complete', '--', ''],
  ...[[], ['--profile', 'sandbox']].flatMap((account) =>
    [
      ['create', '--product', 'GAME-US:25x2', '--wallet', 'USD', '--reference', 'rehearsed', '--json'],
      ['confirm', '@last', '--json'],
      ['create', '--product', 'GAME-US:25x2', '--wallet', 'USD', '--watch'],
      ['get', '@last'],
      ['get', '@last', '--json'],
      ['redeem', '@last'],
      ['redeem', '@last', '--json'],
      ['list'],
      ['list', '--json'],
    ].map((words) => [...words, ...account]),
  ),
  ['__complete', '--', 'get', ''],
]

const executable = path.resolve('bin/orderctl.js')

/** A chunk of dist/, as a function of what it asks for. */
export type Chunk = { readonly name: string; readonly text: string; readonly script: Script }
const head = '(function (exports, require, module) {'
export const headLength = head.length

/** Runs it all in this process, each command with new modules of the same scripts; then tells. */
export const rehearse = (atEnd: (chunks: readonly Chunk[]) => void): void => {
  const chunks = globSync('*.cjs', { cwd: 'dist' }).map((file): Chunk => {
    const name = `./${file}`
    const text = `${head}${readFileSync(path.join('dist', file), 'utf8')}\n})`
    return { name, text, script: new Script(text, { filename: name }) }
  })
  const scripts = new Map(chunks.map(({ name, script }) => [name, script]))
  const run = (words: readonly string[]): void => {
    const modules = new Map<string, { exports: unknown }>()
    const load = (name: string): unknown => {
      const script = scripts.get(name)
      if (script === undefined) return process.getBuiltinModule(name)
      const known = modules.get(name)
      if (known !== undefined) return known.exports
      const module = { exports: {} }
      modules.set(name, module)
      script.runInThisContext()(module.exports, load, module)
      return module.exports
    }
    // It starts itself, to see whether its locks work.
    process.argv = [process.execPath, executable, ...words]
    load('./main.cjs')
  }
  process.setMaxListeners(0)
  let done = 0
  const next = (): void => {
    if (process.exitCode) throw new Error(`orderctl ${rehearsed[done - 1]?.join(' ')}: ${process.exitCode}`)
    const words = rehearsed[done]
    done += 1
    if (words !== undefined) {
      run(words)
      // Without anything to wait for, Node would not ask again.
      setImmediate(() => {})
      return
    }
    process.off('beforeExit', next)
    atEnd(chunks)
  }
  process.on('beforeExit', next)
}

/** Has a module here rehearse, where there is a service, and nothing of this machine's; `work` is given the place. */
export const onStage = (module: string, work: (folder: string) => void): void => {
  const folder = mkdtempSync(path.join(tmpdir(), 'orderctl-build-'))
  try {
    const rehearsal = [process.execPath, module, '--rehearse', folder]
    runNode(folder, 'bin/orderctl.js', 'serve-mock', '--processing-time', '0s', '--exec', '--', ...rehearsal)
    work(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

export const runNode = (home: string, ...words: readonly string[]): void => {
  execFileSync(process.execPath, words, {
    // Whatever the environment says of accounts and proxies, it goes the same way. Windows has no sockets without
    // SystemRoot.
    env: {
      PATH: process.env.PATH,
      SystemRoot: process.env.SystemRoot,
      HOME: home,
      ORDERCTL_STATE_DIR: home,
      ORDERCTL_CONFIG_DIR: home,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
}
