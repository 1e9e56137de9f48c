// How dist/, as build.ts has made it, and the Node that runs this become one executable: standalone/orderctl.
import { execFileSync, spawnSync } from 'node:child_process'
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Script } from 'node:vm'

/** What is run before it is built in, so that it starts compiled: what is called most, over the network and not. */
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

/**
 * Writes the chunks as bin/standalone.cjs loads them, and each with its compiled code: of all functions that were
 * called until then, where compiling it unrun has few of them. Each command finds new modules of the same scripts.
 */
const rehearse = (folder: string): void => {
  const scripts = new Map(
    globSync('*.cjs', { cwd: 'dist' }).map((file) => {
      const text = `(function (exports, require, module) {${readFileSync(path.join('dist', file), 'utf8')}\n})`
      writeFileSync(path.join(folder, file), text)
      return [`./${file}`, new Script(text, { filename: `./${file}` })]
    }),
  )
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
    process.argv = [process.execPath, 'orderctl', ...words]
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
    for (const [name, script] of scripts)
      writeFileSync(path.join(folder, `${name}.cache`), script.createCachedData())
  }
  process.on('beforeExit', next)
}

/** Of the 150 MB of Node 26 for Linux, 33 are for debuggers alone. */
const smallNode = (folder: string): string => {
  const file = path.join(folder, 'node')
  const isStripped =
    process.platform === 'linux' && spawnSync('strip', ['-o', file, process.execPath]).status === 0
  return isStripped ? file : process.execPath
}

const buildStandalone = (folder: string): void => {
  const node = (...words: string[]) =>
    execFileSync(process.execPath, words, {
      // Whatever the environment says of accounts and proxies, the rehearsal is the same. Windows has no sockets
      // without SystemRoot.
      env: {
        PATH: process.env.PATH,
        SystemRoot: process.env.SystemRoot,
        HOME: folder,
        ORDERCTL_STATE_DIR: folder,
        ORDERCTL_CONFIG_DIR: folder,
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
  const chunks = path.join(folder, 'chunks')
  mkdirSync(chunks)
  const rehearsal = [process.execPath, 'build-standalone.ts', '--rehearse', chunks]
  node('bin/orderctl.js', 'serve-mock', '--processing-time', '0s', '--exec', '--', ...rehearsal)

  const output = path.resolve('standalone', process.platform === 'win32' ? 'orderctl.exe' : 'orderctl')
  const scripts = globSync('completions/*').map((file) => [path.basename(file), file])
  const code = globSync('*', { cwd: chunks }).map((file) => [`./${file}`, path.join(chunks, file)])
  const config = path.join(folder, 'sea.json')
  writeFileSync(
    config,
    JSON.stringify({
      main: 'bin/standalone.cjs',
      output,
      executable: smallNode(folder),
      disableExperimentalSEAWarning: true,
      useCodeCache: true,
      // NODE_OPTIONS can have anything run.
      execArgvExtension: 'none',
      assets: Object.fromEntries([...scripts, ...code]),
    }),
  )
  mkdirSync(path.dirname(output), { recursive: true })
  node('--build-sea', config)
  // What was injected into has lost its signature, and macOS runs nothing unsigned.
  if (process.platform === 'darwin') execFileSync('codesign', ['--force', '--sign', '-', output])
  const { platform, arch, version } = process
  console.log(
    `${path.relative('.', output)}: ${Math.round(statSync(output).size / 1e6)} MB, Node ${version}, for ${platform} ${arch}`,
  )
  if (platform !== 'linux')
    console.log("made as Node's documentation has it for this platform, and not tried on it")
}

/** Why none can be made here, as Node's documentation has it. */
const refusal = (): string | undefined => {
  const { platform, arch, version } = process
  if (Number(process.versions.node.split('.')[0]) < 26)
    return `Node 26 makes the executable, and this is ${version}: npm run build:standalone has the right one`
  if (platform === 'darwin' && arch !== 'arm64')
    return 'on macOS Node makes executables for Apple silicon alone'
  if (!['linux', 'darwin', 'win32'].includes(platform)) return `Node makes no executables for ${platform}`
  return undefined
}

const [mode, folder = ''] = process.argv.slice(2)
if (mode === '--rehearse') rehearse(folder)
else {
  const reason = refusal()
  if (reason !== undefined) {
    console.error(`no standalone executable: ${reason}`)
    process.exitCode = 1
  } else {
    const scratch = mkdtempSync(path.join(tmpdir(), 'orderctl-build-'))
    try {
      buildStandalone(scratch)
    } finally {
      rmSync(scratch, { recursive: true, force: true })
    }
  }
}
