// A field called __proto__, which JSON allows and zod leaves out of what it reads.
import { isDecimal } from './decimal.ts'

const name = '__proto__'

const isTree = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !isDecimal(value)

const entriesOf = (tree: object): readonly (readonly [string, unknown])[] =>
  tree instanceof Map ? [...tree] : Object.entries(tree)

const ownIn = (tree: object, key: string): unknown => Object.getOwnPropertyDescriptor(tree, key)?.value

/** Gives it back, in place, to the objects that were read from the document: unknown fields are kept. */
export const restoreProto = (read: unknown, document: unknown): void => {
  if (read === document || !isTree(read) || !isTree(document)) return
  for (const [key, value] of entriesOf(read)) {
    // The amounts of a total are counted up, and this one was never judged.
    if (key !== 'total') restoreProto(value, ownIn(document, key))
  }
  if (!(read instanceof Map) && !Array.isArray(read) && Object.hasOwn(document, name))
    Object.defineProperty(read, name, { value: ownIn(document, name), enumerable: true })
}
