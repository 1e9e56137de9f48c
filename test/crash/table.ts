// The cases of a crash run: which of them, two at a time, and a line for each that broke.

/** All of it in the full run: `npm run test:full`. */
export const isFull = process.env.CRASH_RUN === 'full'

/** So many of them, the first and the last among them. */
export const spread = <Item>(items: readonly Item[], count: number): Item[] => {
  if (items.length <= count) return [...items]
  const step = (items.length - 1) / (count - 1)
  return Array.from({ length: count }, (_, index) => items[Math.round(index * step)] as Item)
}

/** A line for each case that has something wrong with it. */
export const brokenCases = async <Case extends { readonly name: string }>(
  cases: readonly Case[],
  wrongsOf: (each: Case) => Promise<readonly string[]>,
  atOnce = 2,
): Promise<string[]> => {
  const lines: string[] = []
  const left = cases.values()
  const work = async (): Promise<void> => {
    for (const each of left) {
      const wrongs = await wrongsOf(each).catch((error: Error) => [`the harness failed: ${error.stack}`])
      lines.push(...wrongs.map((wrong) => `${each.name} | ${wrong}`))
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  return lines
}
