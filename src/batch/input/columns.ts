// The input as a whole, whatever its format: where rows go, its errors and its encoding. Finds the columns of the fields among its
// headers: by --map, such as quote=Amount, or by the words that people use for them.

import type { Given, Problem } from '../../cli/spec.ts'
import { type Advice, Failure } from '../../errors.ts'
import type { HeaderColumn } from '../../journal/tables/batches.ts'
import { batchLimits } from '../../operations/batch-limits.ts'
import type { Suggest } from '../../text/suggest.ts'

export type RowSink = {
  /** Returns the indexes of columns that a workbook checks, or -1. */
  setHeaders(headers: readonly string[]): Readonly<Record<'sku' | 'quote' | 'quantity', number>>
  /**
   * `line` is the line of the file, or the number of the item in a JSON array. `values` is a string if the row cannot be
   * read: the reason.
   */
  addRow(line: number, values: readonly unknown[] | string): void
}

/** `problem` continues the name of the file: 'is empty'. */
export type InputError = (problem: string, advice?: Advice) => Failure

export const createInputError =
  (file: string): InputError =>
  (problem, advice) =>
    new Failure('usage', `${file === '-' ? 'standard input' : file} ${problem}; nothing was sent`, {
      field: file,
      ...(advice === undefined ? { fix: () => 'orderctl batch plan --help' } : { advice }),
    })

export const formatCount = (count: number): string => count.toLocaleString('en-US')

/** In characters. Spreadsheets keep no more of a cell. */
export const maxCellLength = 32_767
export const longCell = `a cell with more than ${formatCount(maxCellLength)} characters`

export const createTooManyRows = (createError: InputError): Failure =>
  createError(
    `has too many rows; a batch holds at most ${formatCount(batchLimits.rows)}`,
    'Split it into several batches.',
  )

const advice = "In the spreadsheet, choose 'Save as' and the format 'CSV UTF-8'."

/** Reading so many takes less than two seconds. Allows 100,000 rows of four columns. */
const maxFilled = 400_000

/** Throws if a workbook has too many cells with content. */
export const checkFilled = (count: number, createError: InputError): void => {
  if (count > maxFilled)
    throw createError(`has more than ${formatCount(maxFilled)} cells with content`, advice)
}

const beginsWith = (bytes: Uint8Array, ...start: readonly number[]): boolean =>
  start.every((byte, at) => bytes[at] === byte)

/** Whether the input is an archive, as an .xlsx workbook is. */
export const isZip = (bytes: Uint8Array, createError: InputError): boolean => {
  if (beginsWith(bytes, 0xd0, 0xcf, 0x11, 0xe0)) {
    const problem = 'is an .xls workbook, or a workbook with a password'
    throw createError(problem, 'Save it as .xlsx without a password.')
  }
  return beginsWith(bytes, 0x50, 0x4b, 0x03, 0x04)
}

/** Returns the text without its byte order mark. */
export const decodeInput = (bytes: Uint8Array, createError: InputError) => {
  // Excel writes 'Unicode Text' as UTF-16 with a mark.
  const isUtf16 = beginsWith(bytes, 0xff, 0xfe)
  const hasMark = isUtf16 || beginsWith(bytes, 0xef, 0xbb, 0xbf)
  try {
    const decoder = new TextDecoder(isUtf16 ? 'utf-16le' : 'utf-8', { fatal: true })
    return { text: decoder.decode(bytes), hasMark }
  } catch {
    throw createError(
      isUtf16 ? 'is not valid UTF-16 text' : 'is not UTF-8 text, probably Windows-1252',
      advice,
    )
  }
}

/** 'Stück' → 'stuck' */
export const fold = (header: string): string =>
  header
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/stueck/gi, 'stuck')
    .replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
    .toLowerCase()

/** Words for the number of cards. `*` stands for any letters. To support a language, add a line. */
const quantityWords = {
  english: 'qty, qte, qta, quantit*, count, unit, units, piece, pieces, pcs, copies',
  german: '*anzahl, menge, *stückzahl, stück, stk, anz',
  french: 'qtes, unite, unites',
  spanish: 'cantidad*, cant, unidades, uds, piezas',
  italian: 'pezzi, pz',
  dutch: 'aantal*, hoeveelheid, stuks',
  portuguese: 'quantidade*, qtd, qtde, unidade, peças',
  scandinavian: 'antal, antall, mängd, mængde, mengde, kvantitet',
  finnish: 'määrä, lukumäärä, kpl',
  polish: 'ilość, sztuk, sztuki, szt',
  czechAndSlovak: 'počet*, množství, množstvo, kusů, kusy, kusov, ks',
  southSlavic: 'količina, kom, komada, количина, комада',
  russianAndBulgarian: 'количество, кол во, штук, шт, бройки',
  ukrainian: 'кількість, к сть',
  romanian: 'cantitate*, buc, bucăți',
  hungarian: 'mennyiség, darab, *darabszám, db',
  greek: 'ποσότητα, τεμάχια, τεμ',
  baltic: 'kogus, daudzums, skaits, kiekis, vnt',
  turkish: 'adet, adedi',
  indonesian: 'kuantitas, kuantiti',
  vietnamese: 'số lượng',
  chineseAndJapanese: '*数量*, *數量*, *件数, *件數, *张数, *張數, *枚数, *個数, *个数',
  korean: '*수량*, *개수, *매수',
  thai: '*จำนวน*',
  hindi: 'मात्रा',
  hebrew: 'כמות',
  arabic: 'كمية, الكمية',
}

/** Words that also mean something else: in Spanish, 'nombre' is a name. They count if all values are whole numbers. */
const unclearQuantityWords =
  'amount, number, no of, nr of, num of, q, cards, vouchers, karten, gutscheine, nombre, cartes, tarjetas, vales, carte, ' +
  'buoni, kaarten, bonnen, cartões, kort, karty, liczba, číslo, число, брой, broj, szám, jumlah, miktar, sayı, عدد, العدد'

/** As `fold` writes them. */
const listPatterns = (words: string): string =>
  words
    .split(', ')
    .map((word) => word.split('*').map(fold).join('\\S*'))
    .join('|')

/** At the start of a header: 'Employee number' is no quantity. */
export const unclearQuantity = new RegExp(`^(?:${listPatterns(unclearQuantityWords)})(?: |$)`)

/** Words of English, German, French, Spanish, Italian and Dutch, and of more languages for the quantity. */
export const headerWords: Readonly<Record<NonNullable<HeaderColumn['field']>, RegExp>> = {
  sku: /sku|product|produkt|produit|prodott|item|article|artikel|articul|articol|codigo|codice|card|karte|carte|tarjeta|gutschein/,
  quote:
    /quote|amount|price|value|denomination|betrag|preis|wert|montant|prix|valeur|importe|precio|valor|importo|prezzo|valore|bedrag|prijs|waarde/,
  quantity: new RegExp(`(?:^| )(?:${listPatterns(Object.values(quantityWords).join(', '))})(?: |$)`),
  productType:
    /\b(product ?|produkt ?|card ?|karten ?)?(type?|tipo|soort|art)( de produit| de producto| di prodotto)?$/,
}

/** The first of the headers that is probably the field. */
export const guessHeader = (
  field: keyof typeof headerWords,
  headers: readonly string[],
): string | undefined => headers.find((header) => headerWords[field].test(fold(header)))

export const fields = ['sku', 'quote', 'quantity', 'productType'] as const
export type Field = (typeof fields)[number]

type Mapping = { readonly text: string; readonly field: Field; readonly header: string }

/** The columns that the user has chosen. */
export type ColumnChoice = {
  readonly map: readonly Mapping[]
  /** The columns that are kept for the export only. */
  readonly ignore: readonly string[]
}

const isSameName = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase()

const describeMapping = (text: string): string => `--map is ${JSON.stringify(text)}`

export const parseMapping = (text: string, { problem }: Pick<Given, 'problem'>): Mapping | undefined => {
  const given = describeMapping(text)
  const at = text.indexOf('=')
  if (at === -1) return problem(`${given}; allowed: FIELD=COLUMN, such as quote=Amount`)
  const field = fields.find((each) => isSameName(each, text.slice(0, at).trim()))
  const header = text.slice(at + 1).trim()
  if (field === undefined) return problem(`${given}; allowed fields: ${fields.join(', ')}`)
  if (header === '') return problem(`${given}; the column after '=' is missing`)
  return { text, field, header }
}

/** Two values must not name the same field or the same column. */
export const findMapConflicts = ({ map: mappings, ignore }: ColumnChoice): readonly Problem[] => {
  const map = new Map<Field, string>()
  const problems: Problem[] = []
  for (const { text, field, header } of mappings) {
    const addProblem = (why: string): void =>
      void problems.push({ text: `${describeMapping(text)}, but --map ${why}`, field: '--map' })
    if (map.has(field)) addProblem(`already has a column for ${field}`)
    else if (map.values().some((other) => other === header)) addProblem(`already uses the column '${header}'`)
    else if (ignore.includes(header)) {
      problems.push({
        text: `${describeMapping(text)}, but --ignore excludes this column`,
        field: '--ignore',
      })
    } else map.set(field, header)
  }
  return problems
}

export type Columns = {
  readonly headers: readonly string[]
  /** The index of the column of each field, or -1. */
  readonly indexOf: Readonly<Record<Field, number>>
  /** The indexes of all other columns that have a header. */
  readonly others: readonly number[]
}

/** The journal keeps all columns, and must never get a code. */
const exportedColumns = ['order_id', 'reference', 'code', 'pin', 'serial']

export const maxColumns = 256

export const createTooManyColumns = (createError: InputError) =>
  createError(`has more than ${maxColumns} columns`, 'Remove the columns that you do not need.')

export const findColumns = (
  given: readonly string[],
  { map, ignore }: ColumnChoice,
  createError: InputError,
): Columns => {
  if (given.length > maxColumns) throw createTooManyColumns(createError)
  if (given.some((header) => header.length > maxCellLength))
    throw createError(`has ${longCell} in its header`, 'Shorten the names of the columns.')
  const headers = given.map((header) => header.trim())
  if (exportedColumns.every((name) => headers.includes(name))) {
    throw createError(
      'is an export, which contains codes',
      'Use the original file. To buy the failed cards again, run the batch with --retry-failed.',
    )
  }
  const unknown = ignore.find((name) => !headers.some((header) => isSameName(header, name)))
  if (unknown !== undefined) {
    const problem = `has no column '${unknown}' for --ignore; ${listHeaders(headers)}`
    throw createError(problem, 'Omit the flag, or correct the name of the column.')
  }
  const indexOf = findFieldIndexes(headers, { map, ignore }, createError)
  const taken = new Set(Object.values(indexOf))
  const others = [...headers.keys()].filter((index) => headers[index] !== '' && !taken.has(index))
  const names = others.map((index) => headers[index] ?? '')
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) throw createTwice(twice, createError)
  const missing = (['sku', 'quote'] as const).filter((field) => indexOf[field] === -1)
  if (missing.length > 0) {
    const absent = missing.map((field) => `'${field}'`).join(' and no column ')
    const mappings = missing.map((field) => `${field}=${guessHeader(field, names) ?? 'COLUMN'}`)
    const free = names.filter((name) => !mappings.some((mapping) => mapping.endsWith(`=${name}`)))
    const quantity = indexOf.quantity === -1 ? guessHeader('quantity', free) : undefined
    if (quantity !== undefined) mappings.push(`quantity=${quantity}`)
    throw createError(`has no column ${absent}; ${listHeaders(headers)}`, adviseMap(mappings))
  }
  return { headers, indexOf, others }
}

/** The columns of the input that are kept, in its order. */
export const listHeader = ({ headers, indexOf, others }: Columns): HeaderColumn[] =>
  headers.flatMap((name, index) => {
    const field = fields.find((each) => indexOf[each] === index)
    if (field !== undefined) return [{ name, field }]
    return others.includes(index) ? [{ name }] : []
  })

/** Finds a field by --map, otherwise by its name, in capitals or small letters. */
const findFieldIndexes = (
  headers: readonly string[],
  { map, ignore }: ColumnChoice,
  createError: InputError,
) => {
  const indexOf = { sku: -1, quote: -1, quantity: -1, productType: -1 }
  for (const { field, header } of map) {
    const exact = headers.indexOf(header)
    const index = exact === -1 ? headers.findIndex((each) => isSameName(each, header)) : exact
    const other = fields.find((each) => indexOf[each] === index)
    const problem =
      index === -1
        ? `has no column '${header}', which --map uses for ${field}`
        : other && `has one column '${header}', but --map uses it for both ${other} and ${field}`
    if (problem !== undefined)
      throw createError(`${problem}; ${listHeaders(headers)}`, adviseMap([`${field}=COLUMN`]))
    indexOf[field] = index
  }
  for (const field of fields.filter((each) => !map.some(({ field }) => field === each))) {
    const taken = new Set(Object.values(indexOf))
    const [found = -1, ...more] = [...headers.keys()].filter(
      (index) =>
        isSameName(headers[index] ?? '', field) &&
        !taken.has(index) &&
        !ignore.some((name) => isSameName(name, field)),
    )
    if (more.length > 0) throw createTwice(field, createError)
    indexOf[field] = found
  }
  return indexOf
}

const createTwice = (name: string, createError: InputError) =>
  createError(`has two columns '${name}'`, 'Rename or remove one of them.')

const adviseMap = (map: readonly string[]) => (suggest: Suggest) => `Use ${suggest.flags({ map })}`

const maxListed = 20

const listHeaders = (headers: readonly string[]): string => {
  const named = headers.filter((header) => header !== '').map((header) => `'${header}'`)
  const more = named.length > maxListed ? `, and ${named.length - maxListed} more` : ''
  return `columns: ${named.slice(0, maxListed).join(', ') || 'none'}${more}`
}
