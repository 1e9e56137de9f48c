// What stands in a document, as values: read in one walk, and described in OpenAPI. For answers: each `get` reads
// one, and zod, which reads what people write, takes 8 ms for it.
import { type Decimal, isDecimal, parseDecimal } from './decimal.ts'

type Path = readonly PropertyKey[]
/** What is wrong: where, and what is allowed there. */
export type Issue = { readonly path: Path; readonly message: string }
type Walk = { readonly path: PropertyKey[]; readonly issues: Issue[] }

type Schema = Readonly<Record<string, unknown>>
/** The JSON Schema of a shape inside another. */
export type SchemaOf = (shape: Shape<unknown>) => Schema

export type Shape<Out> = {
  /** What stands there; where it is wrong, the walk's issues say so, and what is returned is of no use. */
  readonly read: (value: unknown, walk: Walk) => Out
  readonly schema: (schemaOf: SchemaOf) => Schema
  readonly mayBeMissing?: true
}
export type Read<Known extends Shape<unknown>> = Known extends Shape<infer Out> ? Out : never

/** The whole document: all that is wrong with it, or what it says. */
export const readAs = <Out>(
  shape: Shape<Out>,
  document: unknown,
): { data: Out; issues?: undefined } | { data?: undefined; issues: readonly Issue[] } => {
  const issues: Issue[] = []
  const data = shape.read(document, { path: [], issues })
  return issues.length === 0 ? { data } : { issues }
}

export const wrong = ({ path, issues }: Walk, message: string): never => {
  issues.push({ path: [...path], message })
  return undefined as never
}

// An answer of 2 KB, packed, can be wrong in millions of places.
const mostIssues = 100

const inside = <Out>(shape: Shape<Out>, value: unknown, key: PropertyKey, walk: Walk): Out => {
  if (walk.issues.length >= mostIssues) return undefined as never
  walk.path.push(key)
  const read = shape.read(value, walk)
  walk.path.pop()
  return read
}

export const text: Shape<string> = {
  read: (value, walk) => (typeof value === 'string' ? value : wrong(walk, 'a text')),
  schema: () => ({ type: 'string' }),
}

export const wholeNumber: Shape<number> = {
  read: (value, walk) => (Number.isSafeInteger(value) ? (value as number) : wrong(walk, 'a whole number')),
  schema: () => ({ type: 'integer' }),
}

export const toDecimal = (value: unknown): Decimal | undefined => {
  if (isDecimal(value)) return value
  return typeof value === 'number' ? parseDecimal(String(value)) : undefined
}

/** A JSON number, read as an exact decimal. */
export const amount: Shape<Decimal> = {
  read: (value, walk) => toDecimal(value) ?? wrong(walk, 'a number'),
  schema: () => ({ type: 'number', description: 'An exact decimal: read its text, not a float.' }),
}

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !isDecimal(value)

/** Assigned, `__proto__` would not become a field. */
const setField = (object: object, key: string, value: unknown): void =>
  void (key === '__proto__'
    ? Object.defineProperty(object, key, { value, enumerable: true })
    : Reflect.set(object, key, value))

type Fields = Readonly<Record<string, Shape<unknown>>>
type Optional<Known extends Fields> = {
  [Key in keyof Known]: Known[Key] extends { readonly mayBeMissing: true } ? Key : never
}[keyof Known]
type ObjectOf<Known extends Fields> = { [Key in Exclude<keyof Known, Optional<Known>>]: Read<Known[Key]> } & {
  [Key in Optional<Known>]?: Read<Known[Key]>
} & { [unknown: string]: unknown }

/** Unknown fields are kept, and all in the order they came in. */
export const object = <Known extends Fields>(fields: Known): Shape<ObjectOf<Known>> => {
  const known = Object.entries<Shape<unknown>>(fields)
  return {
    read: (value, walk) => {
      if (!isObject(value)) return wrong(walk, 'an object')
      const found = {}
      for (const key of Object.keys(value)) {
        const field = Object.hasOwn(fields, key) ? fields[key] : undefined
        setField(found, key, field === undefined ? value[key] : inside(field, value[key], key, walk))
      }
      for (const [key, field] of known)
        if (field.mayBeMissing !== true && !Object.hasOwn(value, key)) inside(field, undefined, key, walk)
      return found as ObjectOf<Known>
    },
    schema: (schemaOf) => {
      const required = known.filter(([, { mayBeMissing }]) => mayBeMissing !== true).map(([key]) => key)
      return {
        type: 'object',
        properties: Object.fromEntries(known.map(([key, field]) => [key, schemaOf(field)])),
        ...(required.length === 0 ? {} : { required }),
        additionalProperties: {},
      }
    },
  }
}

export const list = <Item>(item: Shape<Item>): Shape<Item[]> => ({
  read: (value, walk) =>
    Array.isArray(value)
      ? value.map((entry, index) => inside(item, entry, index, walk))
      : wrong(walk, 'a list'),
  schema: (schemaOf) => ({ type: 'array', items: schemaOf(item) }),
})

const keyed = <Value>(value: Shape<Value>, by: string) => ({
  entries: (found: unknown, walk: Walk): [string, Value][] =>
    isObject(found)
      ? Object.entries(found).map(([key, entry]) => [key, inside(value, entry, key, walk)])
      : wrong(walk, `an object keyed by ${by}`),
  schema: (schemaOf: SchemaOf) => ({ type: 'object', additionalProperties: schemaOf(value) }),
})

/** An object with a value of one kind to each key. */
export const record = <Value>(value: Shape<Value>, by: string): Shape<Record<string, Value>> => {
  const { entries, schema } = keyed(value, by)
  const read = (found: unknown, walk: Walk) => {
    const all = {}
    for (const [key, entry] of entries(found, walk) ?? []) setField(all, key, entry)
    return all
  }
  return { read, schema }
}

/** The same, read as a Map: `__proto__` is a legal SKU. */
export const mapOf = <Value>(value: Shape<Value>, by: string): Shape<Map<string, Value>> => {
  const { entries, schema } = keyed(value, by)
  return { read: (found, walk) => new Map(entries(found, walk)), schema }
}

export const nullable = <Out>(shape: Shape<Out>): Shape<Out | null> => ({
  read: (value, walk) => (value === null ? null : shape.read(value, walk)),
  schema: (schemaOf) => ({ anyOf: [schemaOf(shape), { type: 'null' }] }),
})

export const optional = <Out>(
  shape: Shape<Out>,
): Shape<Out | undefined> & { readonly mayBeMissing: true } => ({
  read: (value, walk) => (value === undefined ? undefined : shape.read(value, walk)),
  schema: (schemaOf) => schemaOf(shape),
  mayBeMissing: true,
})

/** The first that fits. */
export const either = <Out>(shapes: readonly Shape<Out>[], allowed: string): Shape<Out> => ({
  read: (value, walk) => {
    for (const shape of shapes) {
      const { data, issues } = readAs(shape, value)
      if (issues === undefined) return data
    }
    return wrong(walk, allowed)
  },
  schema: (schemaOf) => ({ anyOf: shapes.map(schemaOf) }),
})

export const checked = <Out>(
  shape: Shape<Out>,
  fits: (value: Out) => boolean,
  allowed: string,
): Shape<Out> => ({
  read: (value, walk) => {
    const before = walk.issues.length
    const read = shape.read(value, walk)
    return walk.issues.length > before || fits(read) ? read : wrong(walk, allowed)
  },
  schema: (schemaOf) => schemaOf(shape),
})

/** With words of its own in OpenAPI. */
export const described = <Known extends Shape<unknown>>(shape: Known, words: Schema): Known => ({
  ...shape,
  schema: (schemaOf: SchemaOf) => ({ ...schemaOf(shape), ...words }),
})
