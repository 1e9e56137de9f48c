// What each field of a JSON value may hold, by its name and by the fields around it: an id, a text, a code.
import { isDecimal } from '../../contract/decimal.ts'
import { entriesOf } from '../text/entries.ts'
import { isSecretName, nameOf } from './secret-names.ts'

/** `id`: never a code. `text`: may repeat a code. `words`: prose for people, in which a short PIN is a PIN, too. */
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
    ...{ country: 'text', quote: 'number', name: 'text', region: 'text', productType: 'text' },
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
  ...{ total: 'number', wallet: 'text', records: [record], paymentMethod: 'text', status: 'text' },
}
/** Section 2.4, without the redeem data, and what section 2.9 adds. `*` is any key. */
const order: Fields = {
  ...{ uid: 'id', state: 'text', reference: 'text' },
  ...{ products: { '*': product }, exchangeRates: [rate], invoice, retailInvoice: invoice },
  ...{ createdDate: time, modifiedDate: time, expiresAt: 'number' },
}

/**
 * `open`: outside of the redeem data. `prose`: there, in a field for people that nobody documented. `redeem`: the
 * redeem data, keyed by SKU. `entry`: below a SKU. `secret`: below the name of a secret, within the redeem data.
 * `named`: the same elsewhere.
 */
type Place = 'open' | 'prose' | 'redeem' | 'entry' | 'secret' | 'named' | 'instructions'

export type Field = {
  readonly key: string
  readonly place: Place
  /** Undefined if no document names the field. */
  readonly documented: Documented | undefined
}

const isTree = (value: unknown): boolean => typeof value === 'object' && value !== null && !isDecimal(value)

const fits = (documented: Documented, value: unknown): boolean => {
  if (documented === 'number') return typeof value === 'number' || isDecimal(value)
  if (typeof documented === 'string') return typeof value === 'string'
  return isTree(value) && Array.isArray(documented) === Array.isArray(value)
}
const documentedAs = (documented: Documented | undefined, value: unknown): Documented | undefined =>
  documented !== undefined && fits(documented, value) ? documented : undefined

const hasField = (tree: unknown, name: string): boolean =>
  entriesOf(tree)?.some(([key]) => key === name) === true

/** The whole document. The answer to create calls its id otherwise. */
export const rootField = (tree: unknown): Field => ({
  key: '',
  place: 'open',
  documented: documentedAs(hasField(tree, 'uid') ? order : { ...order, id: 'id' }, tree),
})

/** An item of a list is called as the list. */
export const itemField = ({ key, place, documented }: Field, item: unknown): Field => ({
  ...{ key, place },
  documented: Array.isArray(documented) ? documentedAs(documented[0], item) : undefined,
})

const documentedIn = (documented: Documented | undefined, key: string, value: unknown) => {
  if (typeof documented !== 'object' || Array.isArray(documented)) return undefined
  const fields = documented as Fields
  return documentedAs(Object.hasOwn(fields, key) ? fields[key] : fields['*'], value)
}

// The other documented fields of the redeem data, known before any name is judged.
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

export const fieldOf = (key: string, value: unknown, around: Field): Field => {
  const documented = documentedIn(around.documented, key, value)
  const place = documented === undefined ? placeOf(key, value, around) : 'open'
  return { key, place, documented }
}

const placeOf = (key: string, value: unknown, { key: parent, place }: Field): Place => {
  if (place === 'secret' || place === 'named' || place === 'instructions') return place
  const name = nameOf(key)
  // The keys right below the redeem data are SKUs, whatever they are called.
  if (place === 'redeem') return isTree(value) && !redeemFields.has(name) ? 'entry' : 'secret'
  if (redeemFields.has(name)) return 'secret'
  if (name === 'redeeminstructions') return 'instructions'
  if (name === 'redeem' && place !== 'entry') return 'redeem'
  if (cardFields.has(name)) return place
  const isSecret = isSecretName(name, nameOf(parent))
  if (place === 'entry') return isSecret ? 'secret' : 'entry'
  if (isSecret) return 'named'
  return isProseName(name) || (place === 'prose' && !name.endsWith('id')) ? 'prose' : 'open'
}

const openNames = new Set(['currency', 'expirationdate', 'languagecode'])
const instructionTexts = new Set(['tnc', 'tnchtml', 'redeem', 'redeemhtml'])

/** Fields of the redeem data that are documented and hold no code. */
export const isOpenName = (key: string): boolean => openNames.has(nameOf(key))
export const isInstructionText = (key: string): boolean => instructionTexts.has(nameOf(key))
