// Makes text safe in HTML.
import { sanitize } from '../terminal/sanitize.ts'

const entities = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&quot;'],
  ["'", '&#39;'],
])

export const toHtml = (text: string): string =>
  sanitize(text).replace(/[&<>"']/g, (found) => entities.get(found) ?? '')
