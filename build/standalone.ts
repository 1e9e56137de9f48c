// Builds standalone/orderctl from dist/ and the Node that runs this: one executable file.
import { execFileSync, spawnSync } from 'node:child_process'
import { globSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { devNull, tmpdir } from 'node:os'
import path from 'node:path'
import { readLicensesOfExecutable } from './licenses.ts'

/** Files that are embedded: the chunks as bin/standalone.cjs loads them, and the files of src/package-file.ts. */
const writeAssets = (folder: string): Readonly<Record<string, string>> => {
  const chunks = path.join(folder, 'chunks')
  mkdirSync(chunks)
  // V8 accepts a cache that was made with a different seed. Without a fixed seed, no two caches are the same.
  execFileSync(process.execPath, ['--random-seed=1', 'build/code-cache.cjs', chunks])
  const licenses = path.join(folder, 'licenses')
  writeFileSync(licenses, readLicensesOfExecutable())
  return Object.fromEntries([
    ...readdirSync(chunks)
      .sort()
      .map((file) => [`./${file}`, path.join(chunks, file)]),
    ...globSync(['completions/*', 'dist/inspector/*', 'dist/guides/*'])
      .sort()
      .map((file) => [file.replaceAll(path.sep, '/'), file]),
    ['dist/THIRD_PARTY_LICENSES', licenses],
  ])
}

/** 33 of the 150 MB of Node 26 for Linux are symbols for debuggers. */
const prepareNode = (folder: string): string => {
  if (process.platform !== 'linux') return process.execPath
  const file = path.join(folder, 'node')
  const isStripped = spawnSync('strip', ['-o', file, process.execPath]).status === 0
  return isStripped ? file : process.execPath
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
      // NODE_OPTIONS and OPENSSL_CONF could make the executable run any file.
      execArgvExtension: 'none',
      execArgv: [`--openssl-config=${devNull}`],
      assets: writeAssets(folder),
    }),
  )
  mkdirSync(path.dirname(output), { recursive: true })
  execFileSync(process.execPath, ['--build-sea', config], { stdio: ['ignore', 'ignore', 'pipe'] })
  // The injection invalidates Node's signature, and macOS runs no unsigned file.
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
