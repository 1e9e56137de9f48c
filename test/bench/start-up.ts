// How long it takes from the start of the process to its first line, which says that it listens.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { performance } from 'node:perf_hooks'
import { executable, folder } from './servers.ts'

export type StartUp = { readonly first: number; readonly ours: number[]; readonly bare: number[] }

// No types to strip, and CommonJS: to import node:http by name also loads its WebSocket, 25 ms of it.
const bareServer = path.join(folder, 'bare.cjs')
writeFileSync(
  bareServer,
  "require('node:http').createServer().listen(0, '127.0.0.1', () => console.log('listening'))",
)

/** In milliseconds, by turns. The very first start also fills the compile cache. */
export const measureStartUp = async (rounds: number): Promise<StartUp> => {
  const ours = () => timeOf([executable, 'serve-mock', '--port=0'])
  const bare = () => timeOf([bareServer])
  await bare()
  const result: StartUp = { first: await ours(), ours: [], bare: [] }
  for (let round = 0; round < rounds; round += 1) {
    result.bare.push(await bare())
    result.ours.push(await ours())
  }
  return result
}

const timeOf = async (words: readonly string[]): Promise<number> => {
  const start = performance.now()
  const child = spawn(process.execPath, words, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, XDG_CACHE_HOME: folder },
  })
  await once(child.stdout, 'data')
  const ms = performance.now() - start
  // Ended in peace: the compile cache is written at the end.
  child.kill('SIGTERM')
  await once(child, 'exit')
  return ms
}
