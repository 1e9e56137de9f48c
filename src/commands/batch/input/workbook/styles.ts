// How a workbook shows values: numbers of days as dates, and 12 as 00012 or 12%.
import type { Reader } from './xml.ts'

/** The formats that have no text in the workbook. */
const builtIn = (id: number): string => {
  if ((id >= 14 && id <= 22) || (id >= 27 && id <= 36) || (id >= 45 && id <= 47) || (id >= 50 && id <= 58))
    return 'yyyy'
  if ([3, 5, 6, 37, 38, 41, 42].includes(id)) return '#,##0'
  if ([4, 7, 8, 39, 40, 43, 44].includes(id)) return '#,##0.00'
  return ['General', '0', '0.00'][id] ?? (id === 49 ? '@' : '%')
}

/** Spaces, colours, and texts and currencies without digits, points or percent signs. */
const additions =
  /"[^"\d.,%‰]*"|\\[^\d.,%‰]|_.|\*[^\d.,]|\[(?:[a-z]+|\$[^\]\d.,-]*(?:-[\da-f]+)?)\]|[\s$€£¥]/gi

/** Shows digits with one decimal point, and texts as they are. */
const amount = /^(?:@|(?:general|[#0?,]*[#0?](?:\.([#0?]+))?)(?:;[^;@]*){0,2}(?:;@)?)$/i

const readFormat = (code: string) => {
  const stripped = code.replaceAll(additions, '')
  const shown = amount.exec(stripped)
  return {
    /** Outside quoted texts, colours and escapes, only a date has these letters. */
    isDate: /[dmyhs]/i.test(code.replaceAll(/"[^"]*"|\[[^\]]*\]|\\.|_.|\*.|general|E[+-]/gi, '')),
    /** Whether a number is shown as its digits alone. */
    isPlain: /^(?:general|0|#|@)(?:_.| )*(?:;|$)/i.test(code),
    /** How many decimals a number is shown with. Undefined if a number or a text may be shown differently. */
    decimals: shown === null ? undefined : /^[g@]/i.test(stripped) ? 15 : (shown[1]?.length ?? 0),
  }
}

export type Styles = ReturnType<typeof createStyles>

const [format, style, condition] = [
  '/styleSheet/numFmts/numFmt',
  '/styleSheet/cellXfs/xf',
  '/styleSheet/dxfs/dxf',
]

export const createStyles = () => {
  const codes = new Map<number, string>()
  const formats: ReturnType<typeof readFormat>[] = []
  const changing = new Set<number>()
  let conditions = 0
  const close: Reader['close'] = (path, { numFmtId, formatCode }) => {
    const id = Number(numFmtId?.value ?? 0)
    if (path === style) formats.push(readFormat(codes.get(id) ?? builtIn(id)))
    // Spreadsheets disagree about a number that has two formats.
    else if (path === format) codes.set(id, codes.has(id) ? '%' : (formatCode?.value ?? ''))
    else if (path === condition) conditions += 1
    else if (path === `${condition}/numFmt`) changing.add(conditions)
  }
  return {
    paths: ['/styleSheet', format, style, condition, `${condition}/numFmt`],
    close,
    findFormat: (style: string) =>
      formats[Number(style)] ?? (formats.length === 0 && style === '0' ? readFormat('General') : undefined),
    /** The conditional formats with a number format. */
    changing,
  }
}

/** '2026-03-01', or '2026-03-01 08:30:00'. */
export const readDate = (days: number, is1904: boolean): string => {
  // Day 1 is 1900-01-01, and Excel has a day 60 that never was.
  const epoch = is1904 ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, 30)
  const time = new Date(epoch + Math.round(days * 86_400) * 1_000)
  if (Number.isNaN(time.valueOf())) return String(days)
  const text = time.toISOString()
  return days % 1 === 0 ? text.slice(0, 10) : text.slice(0, 19).replace('T', ' ')
}
