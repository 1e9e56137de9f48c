// PowerShell's text taken apart, as far as strings, comments and brackets go: there is no PowerShell to ask.

export type Piece = {
  readonly kind: 'code' | 'literal' | 'expandable' | 'comment'
  /** Without its quotes; what is doubled or behind a backtick, as it stands. */
  readonly text: string
}

const single = `'\u2018\u2019\u201a\u201b`
const double = '"\u201c\u201d\u201e'

/** Throws where a string is not closed, or a bracket. */
export const piecesOf = (script: string): Piece[] => {
  const forms = new RegExp(
    `<#[\\s\\S]*?#>|(?<![\\w$])#.*|[${single}]((?:[^${single}]|[${single}]{2})*)[${single}]|` +
      `[${double}]((?:[^${double}\`]|\`[\\s\\S]|[${double}]{2})*)[${double}]`,
    'g',
  )
  const pieces: Piece[] = []
  let end = 0
  for (const { 0: whole, 1: literal, 2: expandable, index } of script.matchAll(forms)) {
    pieces.push({ kind: 'code', text: script.slice(end, index) })
    if (literal !== undefined) pieces.push({ kind: 'literal', text: literal })
    else if (expandable !== undefined) pieces.push({ kind: 'expandable', text: expandable })
    else pieces.push({ kind: 'comment', text: whole })
    end = index + whole.length
  }
  pieces.push({ kind: 'code', text: script.slice(end) })
  closed(codeOf(pieces))
  return pieces
}

/** Without strings and comments. */
export const codeOf = (pieces: readonly Piece[]): string =>
  pieces.map(({ kind, text }) => (kind === 'code' ? text : kind === 'comment' ? '' : "''")).join('')

const partners = new Map([
  [')', '('],
  [']', '['],
  ['}', '{'],
])

const closed = (code: string): void => {
  const open: string[] = []
  for (const character of code.replaceAll("''", '')) {
    if ([...partners.values()].includes(character)) open.push(character)
    else if (partners.has(character) && open.pop() !== partners.get(character)) {
      throw new Error(`${character} closes what is not open`)
    } else if ((single + double).includes(character)) throw new Error(`${character} is not closed`)
  }
  if (open.length > 0) throw new Error(`${open.join(' ')} is not closed`)
}
