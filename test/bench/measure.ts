// What all benchmarks share: their sizes, the table that each returns, and rounds in which the sides take turns.

/** `smoke` only shows that the benchmark runs. Its numbers mean nothing. */
export type Size = 'smoke' | 'normal'

export type Table = {
  readonly title: string
  readonly columns: readonly string[]
  readonly rows: readonly (readonly string[])[]
  /** One or two sentences: what was measured, and how. */
  readonly note: string
}

export const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = (sorted.length - 1) / 2
  return ((sorted[Math.floor(middle)] ?? Number.NaN) + (sorted[Math.ceil(middle)] ?? Number.NaN)) / 2
}

export const whole = (value: number): string => Math.round(value).toLocaleString('en-US')

/**
 * Measures each side once per round, so that a change of the load on the machine affects all sides. If there are several
 * rounds, another one before them fills the caches.
 */
export const takeTurns = async <Name extends string, Value>(
  rounds: number,
  sides: Readonly<Record<Name, () => Value | Promise<Value>>>,
): Promise<Record<Name, Value[]>> => {
  const names = Object.keys(sides) as Name[]
  const results = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<Name, Value[]>
  for (let round = rounds > 1 ? 0 : 1; round <= rounds; round += 1) {
    // The first side of a round finds the caches cold, so the order changes.
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      const result = await sides[name]()
      if (round > 0) results[name].push(result)
    }
  }
  return results
}

/** The ratio is the median of the ratios of the rounds. */
export const compare = (ours: readonly number[], theirs: readonly number[]) => ({
  ours: median(ours),
  theirs: median(theirs),
  ratio: median(ours.map((value, round) => value / (theirs[round] ?? Number.NaN))),
})

/** As Markdown. */
export const renderTable = ({ columns, rows }: Table): string => {
  const widths = columns.map((_, index) =>
    Math.max(...[columns, ...rows].map((row) => row[index]?.length ?? 0), 3),
  )
  const renderRow = (row: readonly string[]): string =>
    `| ${row.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join(' | ')} |`
  const rule = `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`
  return [renderRow(columns), rule, ...rows.map(renderRow)].join('\n')
}
