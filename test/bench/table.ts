// Numbers for a reader: medians, and a table whose first column alone stands on the left.

export const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = (sorted.length - 1) / 2
  return ((sorted[Math.floor(middle)] ?? Number.NaN) + (sorted[Math.ceil(middle)] ?? Number.NaN)) / 2
}

export const whole = (value: number): string => Math.round(value).toLocaleString('en-US')
export const megabytes = (bytes: number): string => (bytes / 2 ** 20).toFixed(0)

export const renderTable = (rows: readonly (readonly string[])[]): string => {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('   ')
  const [head = [], ...rest] = rows.map(line)
  return [head, '-'.repeat(head.length), ...rest].join('\n')
}
