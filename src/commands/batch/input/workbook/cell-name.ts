// The names of cells: 'BC7' is the cell in the column 54 (the first is 0) and the line 7.

/** The column of a cell. Undefined if the cell has no name. */
export const readColumn = (name: string | undefined): number | undefined => {
  const letters = /^[A-Z]{1,3}/.exec(name ?? '')?.[0]
  return letters === undefined
    ? undefined
    : [...letters].reduce((column, letter) => column * 26 + letter.charCodeAt(0) - 64, 0) - 1
}

export const nameCell = (column: number, line: number): string => {
  let [letters, left] = ['', column + 1]
  for (; left > 0; left = Math.floor((left - 1) / 26))
    letters = String.fromCharCode(65 + ((left - 1) % 26)) + letters
  return `${letters}${line}`
}
