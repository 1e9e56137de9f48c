// Receives what a format reads: the headers, then the rows.

export type RowSink = {
  setHeaders(headers: readonly string[]): void
  /** `line` is the line of the file, or the number of the item in a JSON array. */
  addRow(line: number, values: readonly unknown[]): void
  /** Reports a row that cannot be read at all. */
  refuseRow(line: number, problem: string): void
}
