// A table in a template text: one row a line, its cells divided by ` | `. Empty lines do not count.
export const rowsOf = (table: string): string[][] =>
  table
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => line.split('|').map((cell) => cell.trim()))
