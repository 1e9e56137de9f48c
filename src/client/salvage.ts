// Finds the id of a new order in a response that is incomplete or not valid JSON.
import { isOrderId } from '../contract/order-words.ts'

const token = /\s*(?:("(?:[^"\\\u0000-\u001f]|\\.)*")|([{}[\],:])|[^\s"{}[\],:]+)/y

type Open = { readonly mark: string; key?: string; awaitsKey: boolean }

/** Returns `data.id`, or undefined if it is missing or there are two different ids. */
export const salvageId = (text: string): string | undefined => {
  // An HTML page may have ids of its own.
  if (!/^\s*\{/.test(text)) return undefined
  const open: Open[] = []
  const found = new Set<string>()
  token.lastIndex = 0
  for (let match = token.exec(text); match !== null; match = token.exec(text)) {
    const [, string, mark] = match
    const inner = open.at(-1)
    if (mark === '{' || mark === '[') open.push({ mark, awaitsKey: mark === '{' })
    else if (mark === '}' || mark === ']') open.pop()
    else if (inner === undefined) continue
    else if (mark !== undefined) inner.awaitsKey = mark === ',' && inner.mark === '{'
    else if (string !== undefined) {
      const value = parseString(string)
      if (value === undefined) break
      if (inner.awaitsKey) inner.key = value
      else if (open.length === 2 && open[0]?.key === 'data' && inner.key === 'id') found.add(value)
    }
  }
  const [id = '', ...others] = found
  // U+FFFD replaces bytes that are not UTF-8.
  return isOrderId(id) && !id.includes('\ufffd') && others.length === 0 ? id : undefined
}

const parseString = (quoted: string): string | undefined => {
  try {
    return JSON.parse(quoted)
  } catch {
    return undefined
  }
}
