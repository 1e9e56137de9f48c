// The names of cells: 'BC7' is the cell in the column 54 (the first is 0) and the line 7.

/** Undefined if the name is not one of a cell in the line. */
export const readColumn = (name: string, line: number): number | undefined =>
  /^[A-Z]{1,3}\d+$/.test(name) && name.replace(/^[A-Z]+/, '') === String(line)
    ? [...name.replace(/\d+/, '')].reduce((column, letter) => column * 26 + letter.charCodeAt(0) - 64, 0) - 1
    : undefined

const nameColumn = (column: number): string =>
  (column < 26 ? '' : nameColumn(Math.floor(column / 26) - 1)) + String.fromCharCode(65 + (column % 26))

export const nameCell = (column: number, line: number): string => `${nameColumn(column)}${line}`
