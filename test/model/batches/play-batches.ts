// Plays histories of batches in threads.
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { BatchesPlayed, BatchShare } from './share-batches.ts'

type Options = Pick<BatchShare, 'defect'> & {
  readonly from: number
  readonly count: number
  readonly threads?: number
}

const inThread = async (share: BatchShare): Promise<BatchesPlayed> => {
  const worker = new Worker(new URL('share-batches.ts', import.meta.url), { workerData: share, execArgv: [] })
  const [played] = await once(worker, 'message')
  return played
}

export const playBatches = async ({ from, count, threads = 1, defect }: Options): Promise<BatchesPlayed> => {
  const seeds = Array.from({ length: count }, (_, index) => from + index)
  const all = await Promise.all(
    Array.from({ length: threads }, (_, thread) =>
      inThread({ seeds: seeds.filter((seed) => seed % threads === thread), defect }),
    ),
  )
  const sum = (name: 'runs' | 'kills' | 'confirms'): number =>
    all.reduce((total, each) => total + each[name], 0)
  return {
    problems: all.flatMap(({ problems }) => problems),
    ...{ runs: sum('runs'), kills: sum('kills'), confirms: sum('confirms') },
  }
}
