// Finds the format of the input.

export type Format = 'csv' | 'jsonl' | 'json'

const formatByEnding: ReadonlyMap<string, Format> = new Map([
  ['csv', 'csv'],
  ['tsv', 'csv'],
  ['jsonl', 'jsonl'],
  ['ndjson', 'jsonl'],
  ['json', 'json'],
])

/** By the ending of the file, otherwise by its first character. Undefined if there is only white space. */
export const findFormat = (file: string, bytes: Uint8Array): Format | undefined => {
  const first = bytes.find((byte) => byte > 0x20)
  if (first === undefined) return undefined
  const ending = /\.(\w+)$/.exec(file)?.[1]?.toLowerCase() ?? ''
  const found = formatByEnding.get(ending)
  if (found !== undefined) return found
  const character = String.fromCharCode(first)
  return character === '[' ? 'json' : character === '{' ? 'jsonl' : 'csv'
}
