// Which cases of a large suite run, and how their failures are collected.

/** `npm run test:all` and `npm run test:full` run every file and both databases. */
export const isAllRun = process.env.TEST_TIER === 'all'

/** `npm run test:full` runs every case. The other runs have a fixed sample. */
export const isFullRun = process.env.CRASH_RUN === 'full'

/** Picks two or more items at even distances, including the first and the last. */
export const sampleEvenly = <Item>(items: readonly Item[], count: number): Item[] => {
  if (items.length <= count) return [...items]
  const step = (items.length - 1) / (count - 1)
  return Array.from({ length: count }, (_, index) => items[Math.round(index * step)] as Item)
}

/** Runs the cases and returns a line for each problem found. */
export const collectFailures = async <Case extends { readonly name: string }>(
  cases: readonly Case[],
  findProblems: (each: Case) => Promise<readonly string[]>,
  concurrency = 2,
): Promise<string[]> => {
  const lines: string[] = []
  const left = cases.values()
  const work = async (): Promise<void> => {
    for (const each of left) {
      const problems = await findProblems(each).catch((error: Error) => [
        `the test itself failed: ${error.stack}`,
      ])
      lines.push(...problems.map((problem) => `${each.name} | ${problem}`))
    }
  }
  await Promise.all(Array.from({ length: concurrency }, work))
  return lines
}
