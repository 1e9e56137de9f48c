// Lists the fields of a document, and replaces the value of a field.
type Path = readonly (string | number)[]

export type Kind = 'text' | 'number' | 'flag' | 'null' | 'list' | 'object'

/** One value of each kind. No value of a response may be repeated in an error. */
export const values: Readonly<Record<Kind, unknown>> = {
  text: 'CANARY',
  number: 4_711_471_147,
  flag: true,
  null: null,
  list: ['CANARY'],
  object: { CANARY: 'CANARY' },
}

export const kindOf = (value: unknown): Kind => {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'list'
  if (typeof value === 'string') return 'text'
  if (typeof value === 'boolean') return 'flag'
  return typeof value === 'number' ? 'number' : 'object'
}

export type Field = { readonly path: Path; readonly value: unknown }

/** Includes the whole document. */
export const fieldsIn = (value: unknown, path: Path = []): Field[] => {
  if (typeof value !== 'object' || value === null) return [{ path, value }]
  const steps = Array.isArray(value) ? [...value.keys()] : Object.keys(value)
  const inner = value as Record<string | number, unknown>
  return [{ path, value }, ...steps.flatMap((step) => fieldsIn(inner[step], [...path, step]))]
}

/** `data.invoice.records.*.sku`: a star for any place of a list. */
export const nameOf = (path: Path): string =>
  path.map((step) => (typeof step === 'number' ? '*' : step)).join('.')

/** A copy with a different value at the path, or without the field if the value is undefined. */
export const withValue = (document: unknown, [step, ...rest]: Path, value: unknown): unknown => {
  if (step === undefined) return value
  if (Array.isArray(document)) {
    const changed = withValue(document[step as number], rest, value)
    return document.toSpliced(step as number, 1, ...(changed === undefined ? [] : [changed]))
  }
  const own = document as Record<string, unknown>
  return { ...own, [step]: withValue(own[step], rest, value) }
}
