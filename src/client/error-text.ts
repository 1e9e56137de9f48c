// Section 7: the shape of an error's body is not shown, so the words are looked for wherever people put them.
import { replaceLookalikes } from '../contract/lookalikes.ts'
import type { Content } from './answer.ts'

const maxLength = 300
const maxRead = 20_000

/** In one line of at most 300 characters. */
export const shorten = (text: string): string => {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length > maxLength ? `${line.slice(0, maxLength - 1).toWellFormed()}…` : line
}

/** All that could be the message, the likeliest first. */
export const messagesIn = (content: Content): string[] => {
  switch (content.kind) {
    case 'json':
      return [...new Set(textsIn(content.document, 0).map(shorten))].filter((text) => text !== '')
    case 'text':
      return [shorten(content.text)].filter((text) => text !== '')
    case 'html':
      return [shorten(pageText(content.text))].filter((text) => text !== '')
    case 'unreadable':
      return []
  }
}

// INSUFFICIENT_FUNDS: the names that programs give to errors.
const errorName = /^[A-Z_]+$/

/** As it may be shown: it may repeat a code, but for what was sent itself, such as the id of the order. */
export const withoutCodes = (text: string, sent: readonly string[]): string =>
  replaceLookalikes(text, (found) =>
    errorName.test(found) || sent.some((each) => each.includes(found)) ? found : '••••',
  )

const textsIn = (value: unknown, depth: number): string[] => {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null || depth > 3) return []
  if (Array.isArray(value)) return value.slice(0, 20).flatMap((item) => textsIn(item, depth + 1))
  const fields = value as Record<string, unknown>
  return ['message', 'error', 'errors', 'detail', 'title'].flatMap((name) =>
    Object.hasOwn(fields, name) ? textsIn(fields[name], depth + 1) : [],
  )
}

const entities = new Map([
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['#39', "'"],
  ['nbsp', ' '],
  ['amp', '&'],
])

export const pageTitle = (html: string): string =>
  shorten(withoutMarks(/<title[^>]*>([^<]*)/i.exec(html.slice(0, maxRead))?.[1] ?? ''))

// The title says it, in every proxy's page; where there is none, the text.
const pageText = (html: string): string => {
  const title = pageTitle(html)
  if (title !== '') return title
  return withoutMarks(html.slice(0, maxRead).replace(/<(script|style)\b.*?<\/\1\s*>/gis, ' '))
}

const withoutMarks = (html: string): string =>
  html.replace(/<[^>]*>/g, ' ').replace(/&(#39|[a-z]+);/gi, (whole, name) => entities.get(name) ?? whole)
