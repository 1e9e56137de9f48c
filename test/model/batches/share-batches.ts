// Plays the history of a batch with each seed.
import path from 'node:path'
import type { Given, Played, Player } from '../play.ts'
import { batchHistoryFrom } from './batch-history.ts'
import { playBatch } from './play-batch.ts'

const highCap = 100_000

export const openPlayer =
  ({ folder, product, defect }: Given): Player =>
  async (seed): Promise<Played> => {
    const history = batchHistoryFrom(seed)
    const given = { history, product, home: path.join(folder, `${seed}`), lastCap: highCap }
    const findCap = async (): Promise<number> => {
      if (history.cap === 'high') return highCap
      // The cost is known after a run without faults.
      const { spent } = await playBatch({ ...given, history: { ...history, steps: [] }, cap: highCap })
      return history.cap === 'low' ? Math.floor(spent * 0.6) : spent
    }
    const cap = await findCap()
    const batch = await playBatch({ ...given, cap, lastCap: history.cap === 'low' ? highCap : cap })
    const found = batch.problems.filter((problem) => problem.includes(defect?.found ?? ''))
    return { ...batch, problems: found.map((problem) => `seed ${seed}: ${problem}`) }
  }
