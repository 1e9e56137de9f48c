// Finds the message in an error's body. Its shape is not documented (order-service.md 7), so this checks all usual
// places.
import { decodeHtml } from '../text/entities.ts'
import { replaceInPlain } from '../text/known-codes.ts'
import { replaceLookalikes } from '../text/lookalikes.ts'
import type { Content } from './parsed-response.ts'

const maxLength = 300
const maxRead = 20_000

export const shorten = (text: string): string => {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length > maxLength ? `${line.slice(0, maxLength - 1).toWellFormed()}…` : line
}

/** Returns all candidates, the most likely first. */
export const findMessages = (content: Content): string[] => {
  if (content.kind === 'unreadable') return []
  const texts =
    content.kind === 'json'
      ? collectTexts(content.document, 0)
      : [content.kind === 'html' ? readPageText(content.text) : content.text]
  return [...new Set(texts.map(shorten))].filter((text) => text !== '')
}

// Error names such as INSUFFICIENT_FUNDS.
const errorName = /^[A-Z_]+$/

/** Masks everything that could be a code, except texts of the request, such as the order id. */
export const maskCodes = (text: string, sent: readonly string[]): string =>
  replaceInPlain(text, (part) =>
    replaceLookalikes(part, (found) =>
      errorName.test(found) || sent.some((each) => each.includes(found)) ? found : '••••',
    ),
  )

const collectTexts = (value: unknown, depth: number): string[] => {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null || depth > 3) return []
  if (Array.isArray(value)) return value.slice(0, 20).flatMap((item) => collectTexts(item, depth + 1))
  const fields = value as Record<string, unknown>
  return ['message', 'error', 'errors', 'detail', 'title'].flatMap((name) =>
    Object.hasOwn(fields, name) ? collectTexts(fields[name], depth + 1) : [],
  )
}

export const readPageTitle = (html: string): string =>
  shorten(stripTags(/<title[^>]*>([^<]*)/i.exec(html.slice(0, maxRead))?.[1] ?? ''))

// A proxy's error page contains its message in the title.
const readPageText = (html: string): string => {
  const title = readPageTitle(html)
  if (title !== '') return title
  return stripTags(html.slice(0, maxRead).replace(/<(script|style)\b.*?<\/\1\s*>/gis, ' '))
}

const stripTags = (html: string): string => decodeHtml(html.replace(/<[^>]*>/g, ' '))
