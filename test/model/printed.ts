// The texts and commands that orderctl prints. An operator who obeys runs each command, in any order, at any time.

type Output = { readonly stdout: string; readonly stderr: string }

/** A text, and the order that the document around it is about. */
type Said = { readonly text: string; readonly orderId?: string; readonly reference?: string }

const idNames = ['orderId', 'uid', 'id']

const textsOf = (value: unknown, about: Omit<Said, 'text'> = {}): Said[] => {
  if (typeof value === 'string') return [{ ...about, text: value }]
  if (typeof value !== 'object' || value === null) return []
  const fields = new Map(Object.entries(value))
  const orderId = idNames.map((name) => fields.get(name)).find((id) => typeof id === 'string')
  const reference = fields.get('reference')
  const own = orderId === undefined ? about : { orderId, ...(reference ? { reference } : {}) }
  return Object.values(value).flatMap((each) => textsOf(each, own))
}

/** Lines, and the texts of JSON documents. */
export const readSaid = (output: string): Said[] => {
  const parse = (text: string): Said[] | undefined => {
    try {
      return /^[[{]/.test(text) ? textsOf(JSON.parse(text)) : undefined
    } catch {
      return undefined
    }
  }
  return parse(output) ?? output.split('\n').flatMap((text) => parse(text) ?? [{ text }])
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
  for (const { text } of [stdout, stderr].flatMap(readSaid)) {
    for (const { index, 0: start } of text.matchAll(/(?<![\w/.-])orderctl (?=[a-z])/g)) {
      const [line = ''] = text.slice(index + start.length).split('\n')
      const words = readWords(line)
      if (ordinary.has(words[0] ?? '')) found.set(words.join('\0'), words)
    }
  }
  return [...found.values()]
}
