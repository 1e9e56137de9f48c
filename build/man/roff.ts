// Writes roff, the language of man pages, with the macros of man(7).

/** Characters that roff would read or print differently. */
const escapes: Readonly<Record<string, string>> = {
  '\\': '\\(rs',
  '-': '\\-',
  "'": '\\(aq',
  '`': '\\(ga',
  '^': '\\(ha',
  '~': '\\(ti',
}

export const escapeText = (text: string): string =>
  text
    .replace(/[-\\'`^~]/g, (character) => escapes[character] ?? character)
    // Not every roff reads UTF-8.
    .replace(/[^\n\x20-\x7e]/gu, (character) => `\\[u${hexOf(character)}]`)
    // A line that begins with a dot is a request.
    .replace(/^\./gm, '\\&.')

const hexOf = (character: string): string =>
  (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')

/** An argument of a macro. */
const quote = (text: string): string => `"${escapeText(text).replaceAll('"', '\\(dq')}"`

type Head = {
  readonly name: string
  readonly section: number
  /** YYYY-MM-DD. */
  readonly date: string
  readonly version: string
}

/** Words are not hyphenated, and spaces not stretched: flags and commands are copied. */
export const titleLine = ({ name, section, date, version }: Head): string =>
  `.TH ${quote(name.toUpperCase())} ${section} ${date} ${quote(`orderctl ${version}`)} "orderctl manual"\n.nh\n.ad l\n`

export const heading = (text: string): string => `.SH ${quote(text)}\n`

export const paragraphs = (text: string): string =>
  text
    .trim()
    .split(/\n\n+/)
    .map((each) => `${escapeText(each)}\n`)
    .join('.PP\n')

/** Lines as they are, indented. */
export const literal = (text: string): string =>
  `.PP\n.RS 4\n.EX\n${escapeText(text.replace(/\n+$/, ''))}\n.EE\n.RE\n`

/** A name, and its meaning below it. */
export const entry = (name: string, meaning: string): string =>
  `.TP\n.B ${quote(name)}\n${meaning === '' ? '\\&' : escapeText(meaning)}\n`

/** 'orderctl-create(1), orderctl-safety(7)'. */
export const references = (pages: readonly { readonly name: string; readonly section: number }[]): string =>
  pages
    .map(
      ({ name, section }, index) => `.BR ${quote(name)} (${section})${index < pages.length - 1 ? ',' : ''}\n`,
    )
    .join('')
