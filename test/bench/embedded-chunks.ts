// Compares the start of the standalone file with two that decompress the chunks they embed, by turns:
// `npm run build && npx node test/bench/embedded-chunks.ts`. It judges nothing.
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { performance } from 'node:perf_hooks'
import { zstdCompressSync } from 'node:zlib'
import { folder } from './servers.ts'
import { median, renderTable } from './table.ts'

const rounds = 60

const chunks = path.join(folder, 'chunks')
mkdirSync(chunks)
execFileSync(process.execPath, ['--random-seed=1', 'build/executable/code-cache.cjs', chunks])

const plain = readFileSync('bin/standalone.cjs', 'utf8')
const readCache = /new Uint8Array\(getRawAsset\([^)]+\)\)/
const readCode = "getAsset(name, 'utf8')"
const loadZstd = "const { zstdDecompressSync } = process.getBuiltinModule('node:zlib')\n"
const withCaches = plain.replace(readCache, (read) => `zstdDecompressSync(${read})`)
const withAll = withCaches.replace(
  readCode,
  'zstdDecompressSync(new Uint8Array(getRawAsset(name))).toString()',
)
if (withCaches === plain || withAll === withCaches) throw new Error('bin/standalone.cjs has changed')

type Variant = { readonly main: string; readonly isCompressed: (file: string) => boolean }

const variants: Readonly<Record<string, Variant>> = {
  plain: { main: plain, isCompressed: () => false },
  'compiled code compressed': {
    main: loadZstd + withCaches,
    isCompressed: (file) => file.endsWith('.cache'),
  },
  'all compressed': { main: loadZstd + withAll, isCompressed: () => true },
}

const build = ({ main, isCompressed }: Variant, index: number): string => {
  const place = path.join(folder, String(index))
  mkdirSync(place)
  const assets = readdirSync(chunks).map((file) => {
    const content = readFileSync(path.join(chunks, file))
    const asset = path.join(place, file)
    writeFileSync(asset, isCompressed(file) ? zstdCompressSync(content) : content)
    return [`./${file}`, asset]
  })
  const output = path.join(place, 'orderctl')
  const settings = { output, disableExperimentalSEAWarning: true, assets: Object.fromEntries(assets) }
  writeFileSync(path.join(place, 'entry.cjs'), main)
  const config = path.join(place, 'sea.json')
  writeFileSync(config, JSON.stringify({ main: path.join(place, 'entry.cjs'), ...settings }))
  execFileSync(process.execPath, ['--build-sea', config], { stdio: 'ignore' })
  return output
}

const built = Object.entries(variants).map(([name, variant], index) => ({
  name,
  file: build(variant, index),
  times: { '--version': [] as number[], 'list --json': [] as number[] },
}))
const env = { PATH: process.env.PATH, HOME: folder, CI: 'true' }
for (let round = 0; round < rounds; round += 1) {
  for (const { file, times } of round % 2 === 0 ? built : built.toReversed()) {
    for (const [words, list] of Object.entries(times)) {
      const start = performance.now()
      const { status, stderr } = spawnSync(file, words.split(' '), { env, encoding: 'utf8' })
      if (status !== 0) throw new Error(`${words} ended with ${status}: ${stderr}`)
      list.push(performance.now() - start)
    }
  }
}

const [first] = built
const size = (file: string): string => `${(statSync(file).size / 1e6).toFixed(1)} MB`
const rows = built.map(({ name, file, times }) => [
  name,
  size(file),
  ...(['--version', 'list --json'] as const).map((words) => {
    const ratios = times[words].map((time, index) => time / (first?.times[words][index] ?? time))
    return `${median(times[words]).toFixed(1)} ms, ${median(ratios).toFixed(2)}`
  }),
])
console.log(renderTable([['Chunks', 'Size', '--version', 'list --json'], ...rows]))
