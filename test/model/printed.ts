// The commands that orderctl prints. An operator who obeys runs each of them, in any order, at any time.

type Output = { readonly stdout: string; readonly stderr: string }

/** The texts of a JSON value. */
const textsOf = (value: unknown): string[] => {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : []
}

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Lines, and the texts of JSON documents. */
const readTexts = (output: string): string[] => {
  const whole = parseJson(output)
  if (whole !== undefined) return textsOf(whole)
  return output.split('\n').flatMap((line) => {
    const value = /^[[{]/.test(line) ? parseJson(line) : undefined
    return value === undefined ? [line] : textsOf(value)
  })
}

const endOfClause = /[.,;:)!?]$/

/** The words of a command as a shell reads them. The command ends with its clause. */
const readWords = (text: string): string[] => {
  const words: string[] = []
  const pattern = /\s*((?:'[^']*'|"[^"]*"|\\.|[^\s'"\\`])+)/y
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    const [, raw = ''] = match
    const isLast = endOfClause.test(raw)
    const word = isLast ? raw.replace(endOfClause, '') : raw
    words.push(word.replace(/'([^']*)'|"([^"]*)"|\\(.)/g, (_, one, two, three) => one ?? two ?? three))
    if (isLast) break
  }
  return words
}

/** Only a person may decide these. */
const decisions = ['--allow-duplicate', '--accept-changes', '--settle']

export const needsDecision = (words: readonly string[]): boolean =>
  words.some((word) => decisions.includes(word))

const ordinary = new Set(['create', 'confirm', 'get', 'redeem', 'watch', 'list', 'reconcile'])

/** Each command once. */
export const findPrinted = ({ stdout, stderr }: Output): string[][] => {
  const found = new Map<string, string[]>()
  for (const text of [stdout, stderr].flatMap(readTexts)) {
    for (const { index, 0: start } of text.matchAll(/(?<![\w/.-])orderctl (?=[a-z])/g)) {
      const [line = ''] = text.slice(index + start.length).split('\n')
      const words = readWords(line)
      if (ordinary.has(words[0] ?? '')) found.set(words.join('\0'), words)
    }
  }
  return [...found.values()]
}
