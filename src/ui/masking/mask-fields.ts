// Classifies each field of a JSON value by its name and its parent fields: may it hold an id, a text or a code?
import { type Decimal, formatDecimal, isDecimal, parseDecimal } from '../../contract/money/decimal.ts'
import { createdOrder, order } from '../../contract/schemas.ts'
import { isObject, listEntries, type Shape } from '../../contract/shape.ts'
import { isSecretName, normalizeName } from './secret-names.ts'

/** The JSON Schema of a documented field. */
type Schema = {
  readonly type?: string
  readonly properties?: Readonly<Record<string, Schema>>
  /** The schema of every other key. */
  readonly additionalProperties?: Schema
  readonly items?: Schema
}
const toSchema = (shape: Shape<unknown>): Schema => shape.schema(toSchema) as Schema

/** The fields of order-service.md 2.4 and 2.9, without the redeem data. The response to create has `id`, not `uid`. */
const createRootSchemas = (): { readonly order: Schema; readonly created: Schema } => {
  const { redeem, ...orderFields } = toSchema(order).properties ?? {}
  const { id = {}, ...createdFields } = toSchema(createdOrder).properties ?? {}
  const properties = { ...orderFields, ...createdFields }
  return {
    order: { type: 'object', properties },
    created: { type: 'object', properties: { ...properties, id } },
  }
}
let rootSchemas: ReturnType<typeof createRootSchemas> | undefined

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
  readonly schema: Schema | undefined
}

const fits = ({ type }: Schema, value: unknown): boolean => {
  if (type === 'string') return typeof value === 'string'
  if (type === 'object') return isObject(value)
  if (type === 'array') return Array.isArray(value)
  return (type === 'number' || type === 'integer') && isNumber(value)
}
const checkType = (schema: Schema | undefined, value: unknown): Schema | undefined =>
  schema && fits(schema, value) ? schema : undefined

export const findField = (tree: unknown, name: string): unknown =>
  listEntries(tree)?.find(([key]) => key === name)?.[1]

const describeRoot = (tree: unknown): Field => {
  rootSchemas ??= createRootSchemas()
  const schema = findField(tree, 'uid') === undefined ? rootSchemas.created : rootSchemas.order
  return { key: '', place: 'open', schema: checkType(schema, tree) }
}

// The other documented fields of the redeem data.
const cardFields = new Set(['cards', 'currency', 'value', 'expirationdate'])
const redeemFields = new Set(['redeempin', 'redeemcardcode', 'redeemserialnumber', 'redeemlink'])
// `notes`, `terms_html`, `additional-info`.
const proseNames = (
  'note remark comment message description term tnc instruction info information text detail hint notice summary memo ' +
  'body title subject html disclaimer'
)
  .split(' ')
  .flatMap((name) => ['', 's', 'html', 'shtml', 'text', 'stext'].map((ending) => name + ending))

const describeField = (key: string, value: unknown, parent: Field): Field => {
  const { properties = {}, additionalProperties } = parent.schema ?? {}
  const schema = checkType(Object.hasOwn(properties, key) ? properties[key] : additionalProperties, value)
  return { key, place: schema === undefined ? findPlace(key, value, parent) : 'open', schema }
}

const findPlace = (key: string, value: unknown, { key: parentKey, place }: Field): Place => {
  if (place === 'secret' || place === 'named' || place === 'instructions') return place
  const name = normalizeName(key)
  // The keys directly below the redeem data are SKUs, even if they look like field names.
  const isTree = Array.isArray(value) || isObject(value)
  if (place === 'redeem') return isTree && !redeemFields.has(name) ? 'entry' : 'secret'
  if (redeemFields.has(name)) return 'secret'
  if (name === 'redeeminstructions') return 'instructions'
  if (name === 'redeem' && place !== 'entry') return 'redeem'
  if (cardFields.has(name)) return place
  const isSecret = isSecretName(name, normalizeName(parentKey))
  if (place === 'entry') return isSecret ? 'secret' : 'entry'
  if (isSecret) return 'named'
  const isProse = proseNames.some((each) => name.endsWith(each))
  return isProse || (place === 'prose' && !name.endsWith('id')) ? 'prose' : 'open'
}

/** A key has the field of its object. A number is passed as its exact text. */
type Kind = 'string' | 'number' | 'key'
type Replace = (text: string, field: Field, kind: Kind) => string

const isNumber = (value: unknown): value is number | Decimal => typeof value === 'number' || isDecimal(value)

const writeNumber = (value: number | Decimal): string => {
  if (isDecimal(value)) return formatDecimal(value)
  // 1e21 is written with 22 digits.
  const exact = parseDecimal(String(value))
  return exact === undefined ? String(value) : formatDecimal(exact)
}

/** A number stays a number unless its text is replaced. */
export const replaceTexts = (value: unknown, replace: Replace, field = describeRoot(value)): unknown => {
  if (typeof value === 'string') return replace(value, field, 'string')
  if (Array.isArray(value)) {
    // An item has the name of its list.
    const { items } = field.schema ?? {}
    return value.map((each) => replaceTexts(each, replace, { ...field, schema: checkType(items, each) }))
  }
  if (isNumber(value)) {
    // It is never a code, and an order consists mostly of such numbers.
    if (field.schema !== undefined) return value
    const number = writeNumber(value)
    const replaced = replace(number, field, 'number')
    return replaced === number ? value : replaced
  }
  const entries = listEntries(value)
  if (entries === undefined) return value
  const replaced = entries.map(([key, each]): [string, unknown] => {
    const child = describeField(key, each, field)
    const isKnown = child.schema !== undefined
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
