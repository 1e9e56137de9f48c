// Finds the known words that are most similar to an unknown word.

/** A slip is a missing, added or wrong letter, or two swapped neighbours (optimal string alignment). */
const countSlips = (one: string, other: string): number => {
  const rows: number[][] = [[...other, ''].map((_, index) => index)]
  for (let i = 1; i <= one.length; i += 1) {
    const row = [i]
    for (let j = 1; j <= other.length; j += 1) {
      const isSame = one[i - 1] === other[j - 1]
      const isSwapped = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]
      row[j] = Math.min(
        (rows[i - 1]?.[j] ?? 0) + 1,
        (row[j - 1] ?? 0) + 1,
        (rows[i - 1]?.[j - 1] ?? 0) + (isSame ? 0 : 1),
        ...(isSwapped ? [(rows[i - 2]?.[j - 2] ?? 0) + 1] : []),
      )
    }
    rows.push(row)
  }
  return rows.at(-1)?.at(-1) ?? 0
}

const maxSlips = 3

/** Returns nothing if all words are too different: further away than `limit`, or than half of their letters. */
export const findNearest = (
  word: string,
  known: readonly string[],
  limit: (known: string) => number = () => maxSlips,
): readonly string[] => {
  const found = known
    .map((each) => ({ each, slips: countSlips(word, each) }))
    .filter(({ each, slips }) => slips <= limit(each))
    .filter(({ each, slips }) => slips * 2 < Math.max(word.length, each.length) + 1)
  const least = Math.min(...found.map(({ slips }) => slips))
  return found.filter(({ slips }) => slips === least).map(({ each }) => each)
}
