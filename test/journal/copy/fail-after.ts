// A journal whose transactions fail after some of them, as if the process was killed.
import type { Journal } from '../../../src/journal/journal.ts'

export const failAfter = (journal: Journal, transactions: number): Journal => {
  let left = transactions
  return {
    ...journal,
    write: (work) => {
      left -= 1
      return left < 0 ? Promise.reject(new Error('interrupted')) : journal.write(work)
    },
  }
}
