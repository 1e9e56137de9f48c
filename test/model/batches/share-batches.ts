// Plays the history of a batch with each seed.
import path from 'node:path'
import type { Given, Played, Player } from '../play.ts'
import { batchHistoryFrom } from './batch-history.ts'
import { playBatch } from './play-batch.ts'

const highCap = 100_000

export const openPlayer = ({ folder, product, share: { defect } }: Given): Player => {
  const played: Played = { problems: [], commands: 0, confirms: 0, kills: 0 }
  const play = async (seed: number): Promise<void> => {
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
    played.commands += batch.ran.length
    played.kills += batch.ran.filter(({ isKilled }) => isKilled).length
    played.confirms += batch.confirms
    const found = batch.problems.filter((problem) => problem.includes(defect?.found ?? ''))
    played.problems.push(...found.map((problem) => `seed ${seed}: ${problem}`))
  }
  return { played, play }
}
