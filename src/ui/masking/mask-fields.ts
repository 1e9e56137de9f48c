// Classifies each field of a JSON value by its name and its parent fields: may it hold an id, a text or a code?
import { formatDecimal, isDecimal, parseDecimal } from '../../contract/decimal.ts'
import { listEntries } from '../../contract/shape.ts'
import { isSecretName, normalizeName } from './secret-names.ts'

/** `id`: never a code. `text`: may repeat a code. `words`: prose, in which a short PIN is masked too. */
type Documented = 'id' | 'number' | 'text' | 'words' | Fields | readonly [Fields]
type Fields = { readonly [name: string]: Documented }

const time: Fields = { _seconds: 'number', _nanoseconds: 'number' }
const rate: Fields = { targetCurrency: 'text', baseCurrency: 'text', rate: 'number', modifiedDate: time }
const adjustment: Fields = { amount: 'number', adjustmentMode: 'text' }
const product: Fields = {
  sku: 'id',
  request: { quote: 'number', quantity: 'number' },
  customerDeal: { dealState: 'text', fee: adjustment, discount: adjustment },
  shopItem: {
    country: 'text',
    quote: 'number',
    name: 'text',
    region: 'text',
    productType: 'text',
    baseCurrency: 'text',
  },
}
const item: Fields = {
  type: 'text',
  description: 'words',
  effect: { amount: 'number', currency: 'text' },
  metaData: { ...rate, quantity: 'number', quote: 'number' },
}
const record: Fields = { total: { '*': 'number' }, sku: 'id', items: [item] }
const invoice: Fields = {
  total: 'number',
  wallet: 'text',
  records: [record],
  paymentMethod: 'text',
  status: 'text',
}
/** order-service.md 2.4 without the redeem data, and the additions of 2.9. `*` is any key. */
const order: Fields = {
  uid: 'id',
  state: 'text',
  reference: 'text',
  products: { '*': product },
  exchangeRates: [rate],
  invoice,
  retailInvoice: invoice,
  createdDate: time,
  modifiedDate: time,
  expiresAt: 'number',
}

/**
 * `open`: outside the redeem data. `prose`: outside the redeem data, in an undocumented field for people. `redeem`: the
 * redeem data, keyed by SKU. `entry`: below a SKU. `secret`: below the name of a secret, in the redeem data. `named`:
 * below the name of a secret, elsewhere.
 */
type Place = 'open' | 'prose' | 'redeem' | 'entry' | 'secret' | 'named' | 'instructions'

type Field = {
  readonly key: string
  readonly place: Place
  /** Undefined if the field is undocumented. */
  readonly documented: Documented | undefined
}

const isTree = (value: unknown): boolean => typeof value === 'object' && value !== null && !isDecimal(value)

const fits = (documented: Documented, value: unknown): boolean => {
  if (documented === 'number') return typeof value === 'number' || isDecimal(value)
  if (typeof documented === 'string') return typeof value === 'string'
  return isTree(value) && Array.isArray(documented) === Array.isArray(value)
}
const checkType = (documented: Documented | undefined, value: unknown): Documented | undefined =>
  documented !== undefined && fits(documented, value) ? documented : undefined

const hasField = (tree: unknown, name: string): boolean =>
  listEntries(tree)?.some(([key]) => key === name) === true

/** The response to create has `id` instead of `uid`. */
const describeRoot = (tree: unknown): Field => ({
  key: '',
  place: 'open',
  documented: checkType(hasField(tree, 'uid') ? order : { ...order, id: 'id' }, tree),
})

/** A list item has the name of its list. */
const describeItem = ({ key, place, documented }: Field, item: unknown): Field => ({
  key,
  place,
  documented: Array.isArray(documented) ? checkType(documented[0], item) : undefined,
})

const findDocumented = (documented: Documented | undefined, key: string, value: unknown) => {
  if (typeof documented !== 'object' || Array.isArray(documented)) return undefined
  const fields = documented as Fields
  return checkType(Object.hasOwn(fields, key) ? fields[key] : fields['*'], value)
}

// The other documented fields of the redeem data.
const cardFields = new Set(['cards', 'currency', 'value', 'expirationdate'])
const redeemFields = new Set(['redeempin', 'redeemcardcode', 'redeemserialnumber', 'redeemlink'])
// `notes`, `terms_html`, `additional-info`.
const proseNames = [
  ...[
    'note',
    'remark',
    'comment',
    'message',
    'description',
    'term',
    'tnc',
    'instruction',
    'info',
    'information',
  ],
  ...[
    'text',
    'detail',
    'hint',
    'notice',
    'summary',
    'memo',
    'body',
    'title',
    'subject',
    'html',
    'disclaimer',
  ],
].flatMap((name) => ['', 's', 'html', 'shtml', 'text', 'stext'].map((ending) => name + ending))

const isProseName = (name: string): boolean => proseNames.some((each) => name.endsWith(each))

const describeField = (key: string, value: unknown, parent: Field): Field => {
  const documented = findDocumented(parent.documented, key, value)
  const place = documented === undefined ? findPlace(key, value, parent) : 'open'
  return { key, place, documented }
}

const findPlace = (key: string, value: unknown, { key: parentKey, place }: Field): Place => {
  if (place === 'secret' || place === 'named' || place === 'instructions') return place
  const name = normalizeName(key)
  // The keys directly below the redeem data are SKUs, even if they look like field names.
  if (place === 'redeem') return isTree(value) && !redeemFields.has(name) ? 'entry' : 'secret'
  if (redeemFields.has(name)) return 'secret'
  if (name === 'redeeminstructions') return 'instructions'
  if (name === 'redeem' && place !== 'entry') return 'redeem'
  if (cardFields.has(name)) return place
  const isSecret = isSecretName(name, normalizeName(parentKey))
  if (place === 'entry') return isSecret ? 'secret' : 'entry'
  if (isSecret) return 'named'
  return isProseName(name) || (place === 'prose' && !name.endsWith('id')) ? 'prose' : 'open'
}

const openNames = new Set(['currency', 'expirationdate', 'languagecode'])
const instructionTexts = new Set(['tnc', 'tnchtml', 'redeem', 'redeemhtml'])

/** Documented fields of the redeem data that hold no code. */
export const isOpenName = (key: string): boolean => openNames.has(normalizeName(key))
export const isInstructionText = (key: string): boolean => instructionTexts.has(normalizeName(key))

/** A key has the field of its object. A number is passed as its exact text. */
type Kind = 'string' | 'number' | 'key'
type Replace = (text: string, field: Field, kind: Kind) => string

const writeNumber = (value: unknown): string | undefined => {
  if (isDecimal(value)) return formatDecimal(value)
  if (typeof value !== 'number') return undefined
  // 1e21 is written with 22 digits.
  const exact = parseDecimal(String(value))
  return exact === undefined ? String(value) : formatDecimal(exact)
}

/** A number stays a number unless its text is replaced. */
export const replaceTexts = (value: unknown, replace: Replace, field = describeRoot(value)): unknown => {
  if (typeof value === 'string') return replace(value, field, 'string')
  if (Array.isArray(value)) return value.map((each) => replaceTexts(each, replace, describeItem(field, each)))
  const number = writeNumber(value)
  if (number !== undefined) {
    const replaced = replace(number, field, 'number')
    return replaced === number ? value : replaced
  }
  const entries = listEntries(value)
  if (entries === undefined) return value
  const replaced = entries.map(([key, each]): [string, unknown] => {
    const child = describeField(key, each, field)
    const isKnown = child.documented !== undefined
    return [isKnown ? key : replace(key, field, 'key'), replaceTexts(each, replace, child)]
  })
  return value instanceof Map ? new Map(replaced) : Object.fromEntries(replaced)
}

export type Found = { readonly text: string; readonly field: Field; readonly kind: Kind }

export const findTexts = (tree: unknown): Found[] => {
  const found: Found[] = []
  replaceTexts(tree, (text, field, kind) => {
    if (text.trim() !== '') found.push({ text, field, kind })
    return text
  })
  return found
}
