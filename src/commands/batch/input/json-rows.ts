// Reads rows from a JSON array of objects, or from JSONL: an object on each line.
import { JsonError, readJson } from '../../../contract/json.ts'
import { isObject } from '../../../contract/shape.ts'
import { formatGiven } from '../../../contract/violations.ts'
import { batchLimits } from '../../../operations/batch/plan/rows.ts'
import { createTooManyColumns, maxColumns } from './columns.ts'
import { type InputError, maxInputBytes, type RowSink } from './input.ts'

const limits = { maxBytes: maxInputBytes, maxDepth: 32, maxItems: batchLimits.rows }

const listForm = 'a list such as [{"sku": "GAME-US", "quote": 25}]'

export const readJsonArray = (text: string, sink: RowSink, createError: InputError): void => {
  let document: unknown
  try {
    document = readJson(text, limits)
  } catch (error) {
    throw error instanceof JsonError ? createError(error.message) : error
  }
  if (!Array.isArray(document)) throw createError(`is ${formatGiven(document)}; allowed: ${listForm}`)
  const table = createTable(sink, createError)
  for (const [index, item] of document.entries()) table.add(index + 1, item)
  table.finish()
}

export const readJsonLines = (text: string, sink: RowSink, createError: InputError): void => {
  const table = createTable(sink, createError)
  let [line, rows] = [0, 0]
  for (let start = 0; start < text.length; ) {
    const found = text.indexOf('\n', start)
    const end = found === -1 ? text.length : found
    line += 1
    const source = text.slice(start, end)
    start = end + 1
    if (source.trim() === '') continue
    rows += 1
    // Rows beyond the limit are only counted.
    if (rows > batchLimits.rows) {
      sink.addRow(line, [])
      continue
    }
    try {
      table.add(line, readJson(source, limits))
    } catch (error) {
      if (!(error instanceof JsonError)) throw error
      table.refuse(line, describeLineError(error))
    }
  }
  table.finish()
}

/** The document is one line, so the line number in its message is always 1. */
const describeLineError = ({ message }: JsonError): string =>
  message.replace(/at line 1, (?=column \d+$)/, 'at ')

type Row =
  | { readonly line: number; readonly values: readonly unknown[] }
  | { readonly line: number; readonly values: undefined; readonly problem: string }

/** The headers are the keys of all objects, in the order of their first appearance. */
const createTable = (sink: RowSink, createError: InputError) => {
  const indexByKey = new Map<string, number>()
  const rows: Row[] = []
  const refuse = (line: number, problem: string): void => void rows.push({ line, values: undefined, problem })
  return {
    refuse,
    add: (line: number, item: unknown): void => {
      if (!isObject(item)) {
        refuse(line, `is ${formatGiven(item)}; allowed: a JSON object`)
        return
      }
      const values: unknown[] = Array.from({ length: indexByKey.size })
      for (const key of Object.keys(item)) {
        const name = key.toWellFormed()
        const index = indexByKey.get(name) ?? indexByKey.size
        indexByKey.set(name, index)
        values[index] = item[key]
      }
      if (indexByKey.size > maxColumns) throw createTooManyColumns(createError)
      rows.push({ line, values })
    },
    finish: (): void => {
      if (rows.some(({ values }) => values !== undefined)) sink.setHeaders([...indexByKey.keys()])
      // Reversed, so that each row is freed as soon as it is passed on.
      rows.reverse()
      for (let row = rows.pop(); row !== undefined; row = rows.pop()) {
        if (row.values === undefined) sink.refuseRow(row.line, row.problem)
        else sink.addRow(row.line, row.values)
      }
    },
  }
}
