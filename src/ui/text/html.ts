// Makes text safe in HTML.
import { sanitize } from '../terminal/sanitize.ts'

const entities = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&quot;'],
  ["'", '&#39;'],
])

export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (found) => entities.get(found) ?? '')

/** For text from the service: unsafe characters are shown as escapes. */
export const toHtml = (text: string): string => escapeHtml(sanitize(text))
