// The table of ways, read.
export type Row = {
  readonly name: string
  readonly words: readonly string[]
  /** Its surroundings, by name; empty for the usual. */
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
