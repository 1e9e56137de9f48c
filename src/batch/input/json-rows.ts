// Reads rows from a JSON array of objects, or from JSONL: an object on each line.

import { largeFile } from '../../app/read-input.ts'
import { tryReadJson } from '../../contract/json.ts'
import { isObject } from '../../contract/shape.ts'
import { formatGiven } from '../../contract/violations.ts'
import { batchLimits } from '../../operations/batch-limits.ts'
import type { InputError, RowSink } from './input.ts'

const limits = { ...largeFile, maxItems: batchLimits.rows }

const listForm = 'a list such as [{"sku": "GAME-US", "quote": 25}]'

/** `problem`: why the item could not be read. */
type Item = { readonly line: number; readonly value?: unknown; readonly problem?: string }

export const readJsonArray = (text: string, sink: RowSink, createError: InputError): void => {
  const { document, problem } = tryReadJson(text, limits)
  if (problem !== undefined) throw createError(problem.message)
  if (!Array.isArray(document)) throw createError(`is ${formatGiven(document)}; allowed: ${listForm}`)
  const items = document.map((value, index) => ({ line: index + 1, value }))
  addItems(items, sink)
}

export const readJsonLines = (text: string, sink: RowSink): void => {
  const items: Item[] = []
  let line = 0
  for (let start = 0; start < text.length; ) {
    const found = text.indexOf('\n', start)
    const source = text.slice(start, found === -1 ? text.length : found)
    start += source.length + 1
    line += 1
    if (source.trim() === '') continue
    const { document: value, problem } = tryReadJson(source, limits)
    // The document is one line, so the line number in the message is always 1.
    items.push({ line, value, problem: problem?.message.replace(/at line 1, (?=column \d+$)/, 'at ') })
  }
  addItems(items, sink)
}

/** The headers are the keys of all objects, in the order of their first appearance. */
const addItems = (items: readonly Item[], sink: RowSink): void => {
  const keys = new Set<string>()
  const objects = items.map(({ value }) => value).filter(isObject)
  for (const object of objects) for (const key of Object.keys(object)) keys.add(key)
  if (objects.length > 0) sink.setHeaders(Array.from(keys, (key) => key.toWellFormed()))
  for (const { line, value, problem } of items) {
    if (isObject(value)) {
      const cells = Array.from(keys, (key) => (Object.hasOwn(value, key) ? value[key] : undefined))
      sink.addRow(line, cells)
    } else sink.addRow(line, problem ?? `is ${formatGiven(value)}; allowed: a JSON object`)
  }
}
