// Builds standalone/orderctl from dist/ and the Node that runs this: one executable file.
import { execFileSync, spawnSync } from 'node:child_process'
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { Script } from 'node:vm'
import { removeAtomicLibrary } from './executable/atomic.ts'
import { licenseOfNode } from './licenses.ts'

/**
 * The code cache of a chunk with all its functions compiled. Without a cache, --version takes 12 % longer, and
 * get --json 39 %. V8 rejects a cache that was made under other flags, so the flag is reset first. npm run
 * build:standalone sets --random-seed, which V8 accepts here: without it, no two caches are the same.
 */
const compile = (name: string, code: string): Buffer => {
  setFlagsFromString('--no-lazy')
  const script = new Script(code, { filename: name })
  setFlagsFromString('--lazy')
  return script.createCachedData()
}

/** Files that are embedded: the chunks as bin/standalone.cjs loads them, and the files of src/package-file.ts. */
const writeAssets = (folder: string): Readonly<Record<string, string>> => {
  const assets: Record<string, string> = {}
  const write = (name: string, content: string | Buffer): void => {
    const file = path.join(folder, String(Object.keys(assets).length))
    writeFileSync(file, content)
    assets[name] = file
  }
  for (const file of globSync('*.cjs', { cwd: 'dist' }).sort()) {
    const name = `./${file}`
    const code = `(function (exports, require, module) {${readFileSync(path.join('dist', file), 'utf8')}\n})`
    write(name, code)
    write(`${name}.cache`, compile(name, code))
  }
  for (const file of globSync(['completions/*', 'dist/inspector/*']).sort())
    write(file.replaceAll(path.sep, '/'), readFileSync(file))
  const licenses = 'dist/THIRD_PARTY_LICENSES'
  write(licenses, `${readFileSync(licenses, 'utf8')}\n${licenseOfNode()}`)
  return assets
}

/** 33 of the 150 MB of Node 26 for Linux are symbols for debuggers. */
const prepareNode = (folder: string): string => {
  if (process.platform !== 'linux') return process.execPath
  const file = path.join(folder, 'node')
  const isStripped = spawnSync('strip', ['-o', file, process.execPath]).status === 0
  const bytes = readFileSync(isStripped ? file : process.execPath)
  if (!removeAtomicLibrary(bytes)) console.error('warning: the executable will need libatomic')
  writeFileSync(file, bytes, { mode: 0o755 })
  return file
}

const buildIn = (folder: string): void => {
  const output = path.resolve('standalone', process.platform === 'win32' ? 'orderctl.exe' : 'orderctl')
  const config = path.join(folder, 'sea.json')
  writeFileSync(
    config,
    JSON.stringify({
      main: 'bin/standalone.cjs',
      output,
      executable: prepareNode(folder),
      disableExperimentalSEAWarning: true,
      // NODE_OPTIONS could make the executable run any file.
      execArgvExtension: 'none',
      assets: writeAssets(folder),
    }),
  )
  mkdirSync(path.dirname(output), { recursive: true })
  execFileSync(process.execPath, ['--build-sea', config], { stdio: ['ignore', 'ignore', 'pipe'] })
  // The injection invalidates the signature of Node, and macOS runs no unsigned file.
  if (process.platform === 'darwin') execFileSync('codesign', ['--force', '--sign', '-', output])
  const { platform, arch, version } = process
  const megabytes = Math.round(statSync(output).size / 1e6)
  console.log(
    `${path.relative('.', output)}: ${megabytes} MB, Node ${version}, for ${platform} ${arch}${platform === 'linux' ? '' : ' (not tested on this platform)'}`,
  )
}

/** Why this Node cannot build the executable, according to Node's documentation. */
const reasonNotToBuild = (): string | undefined => {
  const { platform, arch, version } = process
  if (Number(process.versions.node.split('.')[0]) < 26)
    return `it needs Node 26, and this is ${version}. Run: npm run build:standalone`
  if (platform === 'darwin' && arch !== 'arm64') return 'on macOS, Node supports only Apple silicon'
  if (!['linux', 'darwin', 'win32'].includes(platform)) return `Node does not support ${platform}`
  return undefined
}

const reason = reasonNotToBuild()
if (reason === undefined) {
  const folder = mkdtempSync(path.join(tmpdir(), 'orderctl-build-'))
  try {
    buildIn(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
} else {
  console.error(`error: cannot build the standalone executable: ${reason}`)
  process.exitCode = 1
}
