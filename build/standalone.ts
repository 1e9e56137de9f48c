// How dist/, as bundle.ts has made it, and the Node that runs this become one executable: standalone/orderctl.
import { execFileSync, spawnSync } from 'node:child_process'
import { globSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { type Chunk, onStage, rehearse, runNode } from './rehearsal.ts'

/** The chunks as bin/standalone.cjs loads them, and each with its compiled code: of all functions called until then. */
const writeChunks = (folder: string) => (chunks: readonly Chunk[]) => {
  for (const { name, text, script } of chunks) {
    writeFileSync(path.join(folder, name), text)
    writeFileSync(path.join(folder, `${name}.cache`), script.createCachedData())
  }
}

/** Of the 150 MB of Node 26 for Linux, 33 are for debuggers alone. */
const smallNode = (folder: string): string => {
  const file = path.join(folder, 'node')
  const isStripped =
    process.platform === 'linux' && spawnSync('strip', ['-o', file, process.execPath]).status === 0
  return isStripped ? file : process.execPath
}

const buildStandalone = (folder: string): void => {
  const output = path.resolve('standalone', process.platform === 'win32' ? 'orderctl.exe' : 'orderctl')
  const scripts = globSync('completions/*').map((file) => [path.basename(file), file])
  const code = globSync('*.cjs*', { cwd: folder }).map((file) => [`./${file}`, path.join(folder, file)])
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
  runNode(folder, '--build-sea', config)
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
if (mode === '--rehearse') rehearse(writeChunks(folder))
else {
  const reason = refusal()
  if (reason === undefined) onStage(import.meta.filename, buildStandalone)
  else {
    console.error(`no standalone executable: ${reason}`)
    process.exitCode = 1
  }
}
