// Repeatable numbers from a seed, and the card codes, serial numbers and order ids made from them (order-service.md 2.8).

/** Spreads a value over 32 bits. */
const mix = (value: number, key: number): number => {
  let hash = Math.imul(value ^ key, 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

const hashText = (text: string): number => {
  let hash = 0x811c9dc5
  for (const character of text) hash = mix(hash, character.codePointAt(0) ?? 0)
  return hash
}

/** Returns a generator of numbers from 0 (included) to 1 (excluded). */
export const createRandom = (seed: string): (() => number) => {
  const key = hashText(seed)
  let count = 0
  return () => {
    count += 1
    return mix(count, key) / 2 ** 32
  }
}

export type NewCard = { readonly code: string; readonly pin: string; readonly serial: string }

// With these prefixes, no script mistakes a sandbox order or code for a real one.
const idPrefix = 'sbx_'
const codePrefix = 'SANDBOX-'

// Crockford's base 32 has no letter that looks like a digit.
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const half = 2 ** 25
const rounds = 6

// A Feistel network is a permutation: two of the 2^50 numbers never give the same code.
const permute = (number: number, key: number): number => {
  let [left, right] = [Math.floor(number / half), number % half]
  for (let round = 0; round < rounds; round += 1)
    [left, right] = [right, (left ^ mix(right, key + round)) & (half - 1)]
  return left * half + right
}

const encode = (value: number, count: number): string => {
  let text = ''
  for (let rest = value; text.length < count; rest = Math.floor(rest / 32)) text = alphabet[rest % 32] + text
  return text
}

const createIdentifier = (number: number, key: number): string =>
  encode(permute(number, key), 10) + encode(mix(number, ~key), 6)

export const createOrderIds = (seed: string): ((number: number) => string) => {
  const key = hashText(`${seed}/order`)
  return (number) => `${idPrefix}${createIdentifier(number, key).toLowerCase()}`
}

export const createCardFactory = (seed: string): ((number: number) => NewCard) => {
  const codeKey = hashText(`${seed}/code`)
  const serialKey = hashText(`${seed}/serial`)
  const pinKey = hashText(`${seed}/pin`)
  return (number) => ({
    code: codePrefix + createIdentifier(number, codeKey).replace(/.{4}(?=.)/g, '$&-'),
    pin: String(mix(number, pinKey) % 1_000_000).padStart(6, '0'),
    serial: String(permute(number, serialKey)).padStart(16, '0'),
  })
}
