// Finds the order that a delivery is about. Spec silent: the payload of a webhook, so any plausible form is accepted.
// Nothing else in the delivery is used: the order itself is read from the service.
import { stateNames } from '../../contract/states.ts'

/** A text that may be the order id. */
export type Candidate = {
  readonly orderId: string
  /** The state in the same object. */
  readonly namedState: string | null
  /** Otherwise the text is an order id only if the journal contains an order with it. */
  readonly isNamed: boolean
}

type Field = {
  readonly value: unknown
  /** In lower case, without separators. */
  readonly key: string
  readonly parentKey: string
  /** The state that is in the same object as the value. */
  readonly namedState: string | null
}

const longestId = 128
const maxDepth = 16
const maxValues = 20_000
const maxNamed = 100
const maxMentioned = 100

/** The content that may hold codes is never searched. */
const secretKeys = new Set(['redeem', 'cards'])
const stateKeys = new Set(['state', 'status', 'orderstate'])

const documented: ReadonlySet<string> = new Set(stateNames)

const idForm = new RegExp(`^[^\\s\\p{C}]{1,${longestId}}$`, 'u')

/** The most likely first. */
export const readNotice = (body: Uint8Array): Candidate[] => {
  const named: (Candidate & { readonly rank: number })[] = []
  const mentioned = new Set<string>()
  let open: Field[] = [
    { value: parse(new TextDecoder().decode(body)), key: '', parentKey: '', namedState: null },
  ]
  let left = maxValues
  for (let depth = 0; depth < maxDepth && open.length > 0; depth += 1) {
    const seen = open.slice(0, left)
    left -= seen.length
    for (const field of seen) {
      const { value, namedState } = field
      const [orderId, rank] = [readId(value), findRank(field, depth)]
      if (orderId === undefined) continue
      if (rank !== undefined) named.push({ rank, orderId, namedState, isNamed: true })
      else if (typeof value === 'string' && mentioned.size < maxMentioned) mentioned.add(orderId)
    }
    open = seen.flatMap(listInner)
  }
  const likely = named.toSorted((one, other) => one.rank - other.rank).slice(0, maxNamed)
  return [
    ...likely.map(({ rank: _, ...candidate }) => candidate),
    ...[...mentioned].map((orderId) => ({ orderId, namedState: null, isNamed: false })),
  ]
}

/** JSON, a form, or a form whose field holds JSON. Any other text is a document of its own. */
const parse = (text: string): unknown => {
  const document = tryJson(text)
  if (document !== undefined) return document
  if (!/^[^\s=]+=/.test(text)) return text.trim()
  const fields = [...new URLSearchParams(text)].map(([key, value]) => [key, tryJson(value) ?? value] as const)
  return Object.fromEntries(fields)
}

const tryJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const listInner = ({ value, key: parentKey }: Field): Field[] => {
  if (typeof value !== 'object' || value === null) return []
  const fields = Object.entries(value).map(([name, inner]): [key: string, value: unknown] => [
    Array.isArray(value) ? '' : name.toLowerCase().replace(/[^a-z\d]/g, ''),
    inner,
  ])
  const states = fields.flatMap(([key, inner]) =>
    stateKeys.has(key) && typeof inner === 'string' ? inner : [],
  )
  const namedState = states.find((text) => documented.has(text)) ?? null
  return fields
    .filter(([key]) => !secretKeys.has(key))
    .map(([key, inner]) => ({ key, value: inner, parentKey, namedState }))
}

const readId = (value: unknown): string | undefined => {
  const text = typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value
  return typeof text === 'string' && idForm.test(text) ? text : undefined
}

/** order-service.md calls it `uid`, `id` and `orderId`. Undefined if the field does not identify an order. */
const findRank = ({ key, parentKey }: Field, depth: number): number | undefined => {
  if (key === 'uid' || key === 'orderid' || key === 'orderuid') return depth
  if (key === 'order') return 100 + depth
  if (key !== 'id') return undefined
  if (parentKey === 'order') return 200 + depth
  return parentKey === 'data' || parentKey === 'object' ? 300 + depth : 400 + depth
}
