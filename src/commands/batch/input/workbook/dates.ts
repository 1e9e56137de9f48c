// How a workbook shows numbers: as dates, which are numbers of days, as they are, or changed, such as 12 as 00012.
import { decodeText, listTags, readAttribute } from './xml.ts'

const firstOwnFormat = 164

/** The formats of dates that have no text in the workbook. */
const isBuiltInDate = (format: number): boolean =>
  (format >= 14 && format <= 22) || (format >= 27 && format <= 36) || (format >= 45 && format <= 58)

/** Outside quoted texts, colours and escapes, only a date has these letters. */
const isDateFormat = (format: string): boolean =>
  /[dmyhs]/i.test(format.replaceAll(/"[^"]*"|\[[^\]]*\]|\\.|_.|\*.|general|E[+-]/gi, ''))

/** For example `0_ ;[Red]-0`. */
const isExactFormat = (format: string): boolean =>
  /^(general|0|#|@)? *$/i.test(format.replaceAll(/;.*|\[[^\]]*\]|_./gs, ''))

type Shown = 'date' | 'as it is' | 'changed'

const classify = (format: number, own: string | undefined): Shown => {
  if (own === undefined ? isBuiltInDate(format) : isDateFormat(own)) return 'date'
  // General, 0 and text.
  const isExact = own === undefined ? [0, 1, 49].includes(format) : isExactFormat(own)
  return isExact ? 'as it is' : 'changed'
}

/** Returns how a style, which is the number of a `xf` among `cellXfs`, shows a number. */
export const readStyles = (styles: string): ((style: string | undefined) => Shown) => {
  const own = new Map<number, string>()
  const shown: Shown[] = []
  let isCellFormat = false
  for (const tag of listTags(styles)) {
    if (tag.name === 'cellXfs') isCellFormat = !tag.isEnd
    if (tag.isEnd) continue
    if (tag.name === 'numFmt')
      own.set(Number(readAttribute(tag, 'numFmtId')), decodeText(readAttribute(tag, 'formatCode') ?? ''))
    if (tag.name === 'xf' && isCellFormat) {
      const format = Number(readAttribute(tag, 'numFmtId') ?? 0)
      shown.push(classify(format, format < firstOwnFormat ? undefined : own.get(format)))
    }
  }
  return (style) => shown[Number(style ?? 0)] ?? 'as it is'
}

const dayMs = 86_400_000

/** '2026-03-01', or '2026-03-01 08:30:00'. */
export const readDate = (days: number, is1904: boolean): string => {
  // Day 1 is 1900-01-01, and Excel has a day 60 that never was.
  const epoch = is1904 ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, 30)
  const time = new Date(epoch + Math.round((days * dayMs) / 1_000) * 1_000)
  if (Number.isNaN(time.valueOf())) return String(days)
  const text = time.toISOString()
  return days % 1 === 0 ? text.slice(0, 10) : text.slice(0, 19).replace('T', ' ')
}
