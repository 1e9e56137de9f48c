// The id of an order that was created, in an answer that cannot be read whole: the money may hang on it.

const token = /\s*(?:("(?:[^"\\\u0000-\u001f]|\\.)*")|([{}[\],:])|[^\s"{}[\],:]+)/y

type Open = { readonly mark: string; key?: string; awaitsKey: boolean }

/** `data.id`, wherever the text is broken; undefined where it is not there, or given twice and differently. */
export const salvagedId = (text: string): string | undefined => {
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
      const value = textOf(string)
      if (value === undefined) break
      if (inner.awaitsKey) inner.key = value
      else if (open.length === 2 && open[0]?.key === 'data' && inner.key === 'id') found.add(value)
    }
  }
  const [id = '', ...others] = found
  // U+FFFD stands for bytes that are no text.
  return id.trim() === '' || id.includes('\ufffd') || others.length > 0 ? undefined : id
}

const textOf = (quoted: string): string | undefined => {
  try {
    return JSON.parse(quoted)
  } catch {
    return undefined
  }
}
