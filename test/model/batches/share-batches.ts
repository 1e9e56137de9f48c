// Plays the histories of these seeds, in a thread of its own.

import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import { type Defect, plant } from '../planted.ts'

export type BatchShare = { readonly seeds: readonly number[]; readonly defect?: Defect | undefined }

export type BatchesPlayed = {
  /** A line for each problem, with its seed. */
  readonly problems: readonly string[]
  readonly runs: number
  readonly kills: number
  readonly confirms: number
}

const maxFailures = 5
const highCap = 100_000

const playShare = async ({ seeds, defect }: BatchShare): Promise<BatchesPlayed> => {
  enableCompileCache(path.resolve('node_modules/.cache/compile'))
  if (defect !== undefined) plant(defect)
  const { watchDatabases } = await import('../processes/cut-off.ts')
  const { loadProduct } = await import('../processes/product.ts')
  const { batchHistoryFrom } = await import('./batch-history.ts')
  const { playBatch } = await import('./play-batch.ts')
  watchDatabases()
  const product = await loadProduct()
  const folder = mkdtempSync(path.join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'orderctl-batches-'))
  const problems: string[] = []
  const counts = { runs: 0, kills: 0, confirms: 0 }
  try {
    for (const seed of seeds) {
      const history = batchHistoryFrom(seed)
      const home = path.join(folder, `${seed}`)
      const given = { history, product, home, lastCap: highCap }
      // The cost is known after a run without faults.
      const free =
        history.cap === 'high'
          ? undefined
          : await playBatch({ ...given, history: { ...history, steps: [] }, cap: highCap })
      const cap =
        free === undefined ? highCap : history.cap === 'low' ? Math.floor(free.spent * 0.6) : free.spent
      const played = await playBatch({ ...given, cap, lastCap: history.cap === 'low' ? highCap : cap })
      counts.runs += played.ran.length
      counts.kills += played.ran.filter(({ isKilled }) => isKilled).length
      counts.confirms += played.confirms
      problems.push(...played.problems.map((problem) => `seed ${seed}: ${problem}`))
      if (problems.length >= (defect === undefined ? maxFailures : 1)) break
    }
    return { problems, ...counts }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

parentPort?.postMessage(await playShare(workerData))
