// Reads the table of runs.
export type Row = {
  readonly name: string
  readonly words: readonly string[]
  /** The name of its surroundings. Empty for the usual ones. */
  readonly around: string
  /** The exit code, or `killed`. */
  readonly ends: string
  /** `stdout CPSL`, sorted. */
  readonly found: readonly string[]
}

export const rowsIn = (table: string): Row[] =>
  table
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('--'))
    .map((line) => {
      const [name = '', words = '', around = '', ends = '', found = ''] = line
        .split('|')
        .map((cell) => cell.trim())
      return {
        ...{ name, words: words.split(' '), around, ends },
        found: found === '' ? [] : found.split(', ').toSorted(),
      }
    })
