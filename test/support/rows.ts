// A table in a template text: one row a line, its cells divided by ` | `. A line that ends with a backslash goes on in
// the next line. Empty lines do not count.
export const rowsOf = (table: string): string[][] =>
  table
    .replaceAll(/ *\\\n */g, ' ')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => line.split('|').map((cell) => cell.trim()))

/** A row, and the section in which it stands. */
export type TableRow = { readonly section: string; readonly cells: readonly string[] }

/** A line `== NAME` begins a section. A line that begins with dashes is a comment. */
export const readTable = (table: string): TableRow[] => {
  let section = ''
  return rowsOf(table).flatMap((cells) => {
    const [first = ''] = cells
    const [, named] = /^== (\w+)/.exec(first) ?? []
    section = named ?? section
    return named !== undefined || first.startsWith('--') ? [] : [{ section, cells }]
  })
}
