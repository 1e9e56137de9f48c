// Plays many histories, in as many threads as are given.
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { Failed, Played, Share } from './share.ts'

type Options = Partial<Omit<Share, 'seeds'>> & {
  readonly from: number
  readonly count: number
  readonly threads?: number
}

const inThread = async (share: Share): Promise<Played> => {
  const worker = new Worker(new URL('share-worker.ts', import.meta.url), { workerData: share, execArgv: [] })
  const [played] = await once(worker, 'message')
  return played
}

/** The histories of these seeds, and how many were played in a second. */
export const play = async ({ from, count, threads = 1, defect, isReal = false }: Options) => {
  const startedAt = performance.now()
  const seeds = Array.from({ length: count }, (_, index) => from + index)
  const shares = Array.from({ length: threads }, (_, thread) =>
    seeds.filter((seed) => seed % threads === thread),
  )
  const all = await Promise.all(shares.map((each) => inThread({ seeds: each, defect, isReal })))
  const sum = (name: Exclude<keyof Played, 'failed'>): number =>
    all.reduce((total, each) => total + each[name], 0)
  return {
    failed: all.flatMap(({ failed }) => failed),
    ...{ histories: sum('histories'), commands: sum('commands') },
    ...{ confirms: sum('confirms'), kills: sum('kills') },
    perSecond: (sum('histories') / (performance.now() - startedAt)) * 1000,
  }
}

/** What is broken, each with a history that breaks it. */
export const failureText = (failed: readonly Failed[]): string =>
  failed.map(({ kind, text }) => `${kind}\n${text}`).join('\n\n')
