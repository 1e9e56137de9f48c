// A table in a template text: one row a line, its cells divided by ` | `. A line that ends with a backslash goes on in
// the next line. Empty lines do not count.
export const rowsOf = (table: string): string[][] =>
  table
    .replaceAll(/ *\\\n */g, ' ')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => line.split('|').map((cell) => cell.trim()))
