// What is wrong with the rows of the input: sorted by line, and once for all rows with the same problem.

const kinds = ['line', 'item', '--product'] as const

export type RowProblem = {
  /** What the number counts: the lines of a file, the items of a JSON array, or the values of --product. */
  readonly kind: (typeof kinds)[number]
  readonly number: number
  /** 'quote is missing; allowed: …' */
  readonly text: string
}

export const describeProblems = (problems: readonly RowProblem[]): string[] => {
  const sorted = problems.toSorted(
    (one, other) => kinds.indexOf(one.kind) - kinds.indexOf(other.kind) || one.number - other.number,
  )
  const groups = Map.groupBy(sorted, ({ kind, text }) => `${kind} ${text}`)
  return groups
    .values()
    .map((same) => {
      const [{ kind, text } = { kind: 'line', text: '' }] = same
      const noun = same.length > 1 && kind !== '--product' ? `${kind}s` : kind
      return `${noun} ${formatNumbers(same.map(({ number }) => number))}: ${text}`
    })
    .toArray()
}

const maxRanges = 10

/** '2, 4-9, 12', or '2, 4, 6, … (267 rows)' if the list would be long. The numbers are in ascending order. */
export const formatNumbers = (numbers: readonly number[]): string => {
  const ranges: { first: number; last: number }[] = []
  for (const number of numbers) {
    const range = ranges.at(-1)
    if (range?.last === number - 1) range.last = number
    else ranges.push({ first: number, last: number })
  }
  const texts = ranges.flatMap(({ first, last }) => {
    if (first === last) return [`${first}`]
    return last === first + 1 ? [`${first}`, `${last}`] : [`${first}-${last}`]
  })
  return texts.length > maxRanges
    ? `${texts.slice(0, maxRanges).join(', ')}, … (${numbers.length} rows)`
    : texts.join(', ')
}
