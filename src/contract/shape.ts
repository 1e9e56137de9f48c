// Describes the shape of a response, to read it and to generate OpenAPI. zod, which reads files of users, would take 8 ms
// longer for each `get`. Also currency codes: each has one spelling, so that `usd` and `USD ` count against the same
// budgets.

import { type Decimal, isDecimal, parseDecimal } from './money/decimal.ts'

type Path = readonly PropertyKey[]
/** The message lists what is allowed at the path. */
export type Issue = { readonly path: Path; readonly message: string }
type ReadContext = { readonly path: PropertyKey[]; readonly issues: Issue[] }

type Schema = Readonly<Record<string, unknown>>
export type SchemaOf = (shape: Shape<unknown>) => Schema

export type Shape<Out> = {
  /** If the value is invalid, adds an issue to the context. The returned value is then meaningless. */
  readonly read: (value: unknown, walk: ReadContext) => Out
  readonly schema: (schemaOf: SchemaOf) => Schema
  readonly isOptional?: true
}
export type ShapeData<Known extends Shape<unknown>> = Known extends Shape<infer Out> ? Out : never

/** Returns the data, or all issues. */
export const readAs = <Out>(
  shape: Shape<Out>,
  document: unknown,
): { data: Out; issues?: undefined } | { data?: undefined; issues: readonly Issue[] } => {
  const issues: Issue[] = []
  const data = shape.read(document, { path: [], issues })
  return issues.length === 0 ? { data } : { issues }
}

export const addIssue = ({ path, issues }: ReadContext, message: string): never => {
  issues.push({ path: [...path], message })
  return undefined as never
}

// A response of 2 MiB can be wrong in very many places.
const maxIssues = 100

const readChild = <Out>(shape: Shape<Out>, value: unknown, key: PropertyKey, walk: ReadContext): Out => {
  if (walk.issues.length >= maxIssues) return undefined as never
  walk.path.push(key)
  const read = shape.read(value, walk)
  walk.path.pop()
  return read
}

export const textShape: Shape<string> = {
  read: (value, walk) => (typeof value === 'string' ? value : addIssue(walk, 'a text')),
  schema: () => ({ type: 'string' }),
}

export const wholeNumber: Shape<number> = {
  read: (value, walk) => (Number.isSafeInteger(value) ? (value as number) : addIssue(walk, 'a whole number')),
  schema: () => ({ type: 'integer' }),
}

export const toDecimal = (value: unknown): Decimal | undefined => {
  if (isDecimal(value)) return value
  return typeof value === 'number' ? parseDecimal(String(value)) : undefined
}

/** Reads a JSON number as an exact decimal. */
export const amountShape: Shape<Decimal> = {
  read: (value, walk) => toDecimal(value) ?? addIssue(walk, 'a number'),
  schema: () => ({ type: 'number', description: 'An exact decimal: read its text, not a float.' }),
}

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !isDecimal(value)

export type Entries = readonly (readonly [string, unknown])[]

/** Undefined if the value is neither an object nor a Map. */
export const listEntries = (value: unknown): Entries | undefined => {
  if (value instanceof Map) return [...value]
  return isObject(value) ? Object.entries(value) : undefined
}

type Fields = Readonly<Record<string, Shape<unknown>>>
type Optional<Known extends Fields> = {
  [Key in keyof Known]: Known[Key] extends { readonly isOptional: true } ? Key : never
}[keyof Known]
type ObjectOf<Known extends Fields> = {
  [Key in Exclude<keyof Known, Optional<Known>>]: ShapeData<Known[Key]>
} & {
  [Key in Optional<Known>]?: ShapeData<Known[Key]>
} & { [unknown: string]: unknown }

/** Keeps unknown fields, and the order of all fields. */
export const object = <Known extends Fields>(fields: Known): Shape<ObjectOf<Known>> => {
  const known = Object.entries<Shape<unknown>>(fields)
  const required = known.filter(([, { isOptional }]) => isOptional !== true)
  return {
    read: (value, walk) => {
      if (!isObject(value)) return addIssue(walk, 'an object')
      const found = Object.entries(value).map(([key, entry]) => {
        const field = Object.hasOwn(fields, key) ? fields[key] : undefined
        return [key, field === undefined ? entry : readChild(field, entry, key, walk)] as const
      })
      for (const [key, field] of required)
        if (!Object.hasOwn(value, key)) readChild(field, undefined, key, walk)
      // Unlike an assignment, this also creates a field `__proto__`.
      return Object.fromEntries(found) as ObjectOf<Known>
    },
    schema: (schemaOf) => ({
      type: 'object',
      properties: Object.fromEntries(known.map(([key, field]) => [key, schemaOf(field)])),
      ...(required.length === 0 ? {} : { required: required.map(([key]) => key) }),
    }),
  }
}

export const listShape = <Item>(item: Shape<Item>): Shape<Item[]> => ({
  read: (value, walk) =>
    Array.isArray(value)
      ? value.map((entry, index) => readChild(item, entry, index, walk))
      : addIssue(walk, 'a list'),
  schema: (schemaOf) => ({ type: 'array', items: schemaOf(item) }),
})

/** An object with arbitrary keys and values of one shape. A Map, because `__proto__` is a legal SKU. */
export const mapOf = <Value>(value: Shape<Value>, by: string): Shape<Map<string, Value>> => ({
  read: (found, walk) =>
    isObject(found)
      ? new Map(Object.entries(found).map(([key, entry]) => [key, readChild(value, entry, key, walk)]))
      : addIssue(walk, `an object keyed by ${by}`),
  schema: (schemaOf) => ({ type: 'object', additionalProperties: schemaOf(value) }),
})

/** Like mapOf, but returns an object. */
const record = <Value>(value: Shape<Value>, by: string): Shape<Record<string, Value>> => {
  const map = mapOf(value, by)
  return { ...map, read: (found, walk) => Object.fromEntries(map.read(found, walk) ?? []) }
}

export const nullable = <Out>(shape: Shape<Out>): Shape<Out | null> => ({
  read: (value, walk) => (value === null ? null : shape.read(value, walk)),
  schema: (schemaOf) => ({ anyOf: [schemaOf(shape), { type: 'null' }] }),
})

export const optional = <Out>(shape: Shape<Out>): Shape<Out | undefined> & { readonly isOptional: true } => ({
  read: (value, walk) => (value === undefined ? undefined : shape.read(value, walk)),
  schema: (schemaOf) => schemaOf(shape),
  isOptional: true,
})

/** Returns the first shape that matches. */
export const union = <Out>(shapes: readonly Shape<Out>[], allowed: string): Shape<Out> => ({
  read: (value, walk) => {
    for (const shape of shapes) {
      const { data, issues } = readAs(shape, value)
      if (issues === undefined) return data
    }
    return addIssue(walk, allowed)
  },
  schema: (schemaOf) => ({ anyOf: shapes.map(schemaOf) }),
})

export const refine = <Out>(
  shape: Shape<Out>,
  fits: (value: Out) => boolean,
  allowed: string,
): Shape<Out> => ({
  read: (value, walk) => {
    const before = walk.issues.length
    const read = shape.read(value, walk)
    return walk.issues.length > before || fits(read) ? read : addIssue(walk, allowed)
  },
  schema: (schemaOf) => schemaOf(shape),
})

/** Adds a description or other fields to the JSON Schema of a shape. */
export const describe = <Known extends Shape<unknown>>(shape: Known, words: string | Schema): Known => ({
  ...shape,
  schema: (schemaOf: SchemaOf) => ({
    ...schemaOf(shape),
    ...(typeof words === 'string' ? { description: words } : words),
  }),
})

export const currencyForm = 'a currency code of 2 to 12 letters and digits, such as USD'

const form = /^[A-Z0-9]{2,12}$/

/** Undefined if the text is no currency code. */
export const normalizeCurrency = (text: string): string | undefined => {
  if (form.test(text)) return text
  const code = text.normalize('NFKC').trim().toUpperCase()
  return form.test(code) ? code : undefined
}

/**
 * Of a price, a rate or a card. Any other text is kept unchanged, because codes that were paid for must stay readable.
 */
export const currency = describe(
  {
    ...textShape,
    read: (value, walk) =>
      (typeof value === 'string' && normalizeCurrency(value)) || textShape.read(value, walk),
  } satisfies Shape<string>,
  'A currency code.',
)

/** It decides which budgets count the order. */
export const walletCurrency = describe(
  refine(currency, (code) => normalizeCurrency(code) !== undefined, currencyForm),
  'A currency code.',
)

const amountByCurrency = record(amountShape, 'currency')
export const currencyTotals: Shape<Record<string, Decimal>> = {
  ...amountByCurrency,
  read: (value, walk) => {
    if (!isObject(value)) return amountByCurrency.read(value, walk)
    const entries = Object.entries(value).map(([key, entry]) => [normalizeCurrency(key), entry] as const)
    const codes = new Set(entries.map(([code]) => code))
    return codes.has(undefined) || codes.size < entries.length
      ? addIssue(walk, 'an object whose keys are different currency codes')
      : amountByCurrency.read(Object.fromEntries(entries), walk)
  },
}
