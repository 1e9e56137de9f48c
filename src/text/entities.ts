// Decodes the entities of HTML. Few texts have any, and the library takes 7 ms of a get to build its table, so it is
// loaded for the first text with an '&'.
import { builtin } from '../builtin.ts'

const require = builtin.module().createRequire(import.meta.url)

type Library = Pick<
  typeof import('entities/decode'),
  'decodeHTML' | 'decodeHTMLAttribute' | 'decodeHTMLStrict'
>

export const loadEntities = (): Library => require('entities/decode')

const createDecoder =
  (name: keyof Library) =>
  (text: string): string =>
    text.includes('&') ? loadEntities()[name](text) : text

export const decodeHtml = createDecoder('decodeHTML')
/** Without a semicolon at its end, an entity before `=` or a letter is none. */
export const decodeHtmlAttribute = createDecoder('decodeHTMLAttribute')
/** Only entities that end with a semicolon. */
export const decodeHtmlStrict = createDecoder('decodeHTMLStrict')
