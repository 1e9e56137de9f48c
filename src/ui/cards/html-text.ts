// Converts issuers' HTML to plain text. Keeps paragraphs, lists, links and entities; drops scripts and hidden text.
import { safeLines } from '../terminal/sanitize.ts'

const maxLength = 64 * 1024

const dropped = new Set('script style template noscript head title iframe object svg math select'.split(' '))
const blockNames =
  'address article aside blockquote dd div dl dt fieldset figure footer form h1 h2 h3 h4 h5 h6 header hr main nav p pre ' +
  'section table tr'
const blocks = new Set(blockNames.split(' '))
const spaced = new Set('p h1 h2 h3 h4 h5 h6 table blockquote'.split(' '))
// Layout characters that terminals do not support.
const invisible = /(?![\ufe0e\ufe0f])\p{Default_Ignorable_Code_Point}/gu

type Token =
  | { readonly text: string }
  | { readonly tag: string; readonly closes: boolean; readonly source: string }

/** The index after the tag. A quoted `>` does not end it. */
const findTagEnd = (html: string, from: number): number => {
  let quote = ''
  for (let at = from; at < html.length; at += 1) {
    const character = html.charAt(at)
    if (quote !== '') quote = character === quote ? '' : quote
    else if (character === '"' || character === "'") quote = character
    else if (character === '>') return at + 1
  }
  return html.length
}

const findAfter = (html: string, mark: string, from: number): number => {
  const at = html.indexOf(mark, from)
  return at === -1 ? html.length : at + mark.length
}

function* tokenize(html: string): Generator<Token> {
  const start = /<(?:!--|[!?]|(\/?)([a-zA-Z][a-zA-Z0-9-]*))/g
  let at = 0
  while (at < html.length) {
    start.lastIndex = at
    const found = start.exec(html)
    yield { text: html.slice(at, found?.index ?? html.length) }
    if (found === null) return
    const [mark, slash, name] = found
    const tag = name?.toLowerCase() ?? ''
    if (mark === '<!--') at = findAfter(html, '-->', found.index + mark.length)
    else if (tag === '') at = findAfter(html, '>', found.index)
    else {
      const end = findTagEnd(html, start.lastIndex)
      yield { tag, closes: slash === '/', source: html.slice(found.index, end) }
      at = end
    }
  }
}

const readAttribute = (source: string, name: string): string => {
  const found = new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s>"']+))`, 'i').exec(source)
  return decodeEntities(found?.[1] ?? found?.[2] ?? found?.[3] ?? '').trim()
}

export const htmlToText = (html: string): string => {
  let text = ''
  let skipping = ''
  /** The number of the last item of each open list. Undefined if its items have no numbers. */
  const lists: (number | undefined)[] = []
  const links: { href: string; from: number }[] = []

  const breakLine = (lines = 1) => {
    while (text.endsWith(' ')) text = text.slice(0, -1)
    if (text === '') return
    const there = /\n*$/.exec(text.slice(-2))?.[0].length ?? 0
    text += '\n'.repeat(Math.max(0, lines - there))
  }
  const add = (words: string) => {
    text += /(^|\s)$/.test(text.slice(-1)) ? words.replace(/^ +/, '') : words
  }
  const openTag = (tag: string, source: string) => {
    if (tag === 'br') text += '\n'
    else if (tag === 'ul' || tag === 'ol') {
      breakLine()
      lists.push(tag === 'ol' ? 0 : undefined)
    } else if (tag === 'li') {
      breakLine()
      const count = lists.pop()
      const next = count === undefined ? undefined : count + 1
      text += `${'  '.repeat(Math.min(8, lists.length))}${next === undefined ? '-' : `${next}.`} `
      lists.push(next)
    } else if (tag === 'a') links.push({ href: readAttribute(source, 'href'), from: text.length })
    else if (tag === 'img') add(readAttribute(source, 'alt'))
    else if (tag === 'td' || tag === 'th') add(' ')
    else if (blocks.has(tag)) breakLine(spaced.has(tag) ? 2 : 1)
  }
  const closeTag = (tag: string) => {
    if (tag === 'ul' || tag === 'ol') {
      lists.pop()
      breakLine()
    } else if (tag === 'a') {
      const link = links.pop()
      const isShown = link !== undefined && text.slice(link.from).includes(link.href)
      if (link !== undefined && /^(https?:\/\/|mailto:|tel:)/i.test(link.href) && !isShown)
        add(` (${link.href})`)
    } else if (blocks.has(tag) || tag === 'li') breakLine(spaced.has(tag) ? 2 : 1)
  }

  for (const token of tokenize(html.slice(0, maxLength))) {
    if ('text' in token) {
      const words = decodeEntities(token.text.replace(/[ \t\r\n\f]+/g, ' '))
      if (skipping === '') add(words.replace(/\u00a0/g, ' ').replace(invisible, ''))
    } else if (skipping !== '') {
      if (token.closes && token.tag === skipping) skipping = ''
    } else if (token.closes) closeTag(token.tag)
    else if (dropped.has(token.tag)) {
      if (!token.source.endsWith('/>')) skipping = token.tag
    } else openTag(token.tag, token.source)
  }
  const tidy = text
    .replace(/ +\n/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
  return safeLines(html.length > maxLength ? `${tidy}…` : tidy)
}

// U+00A0 to U+00FF, in order.
const latin =
  'nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute ' +
  'micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring ' +
  'AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml ' +
  'times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil ' +
  'egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ' +
  'ugrave uacute ucirc uuml yacute thorn yuml'

const others =
  'amp=& lt=< gt=> quot=" apos=\' euro=€ ndash=– mdash=— lsquo=‘ rsquo=’ sbquo=‚ ldquo=“ rdquo=” bdquo=„ ' +
  'lsaquo=‹ rsaquo=› hellip=… bull=• dagger=† permil=‰ trade=™ larr=← rarr=→ uarr=↑ darr=↓ minus=− le=≤ ge=≥ ' +
  'ne=≠ infin=∞ asymp=≈ check=✓ star=☆ OElig=Œ oelig=œ Scaron=Š scaron=š Yuml=Ÿ hyphen=‐ dash=‐ num=# lowbar=_'

const named = new Map<string, string>([
  ...latin.split(' ').map((name, index) => [name, String.fromCodePoint(0xa0 + index)] as const),
  ...others.split(' ').map((pair) => [pair.slice(0, -2), pair.slice(-1)] as const),
  ...['ensp', 'emsp', 'thinsp'].map((name) => [name, ' '] as const),
  ...['zwj', 'zwnj', 'lrm', 'rlm'].map((name) => [name, ''] as const),
])

const entity = /&(?:#(\d{1,8})|#[xX]([0-9a-fA-F]{1,7})|([a-zA-Z]{2,8}\d{0,2}));?/g

/** Decodes once: `&amp;lt;` becomes `&lt;`. Unknown names stay. */
const decodeEntities = (text: string): string =>
  text.replace(entity, (found, decimal, hex, name) => {
    if (name !== undefined)
      return found.endsWith(';') || name === 'amp' || name === 'nbsp' ? (named.get(name) ?? found) : found
    const code = Number(decimal ?? `0x${hex}`)
    // Browsers show U+FFFD for an invalid code point or a surrogate.
    const isValid = code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff)
    return isValid ? String.fromCodePoint(code) : '\ufffd'
  })
