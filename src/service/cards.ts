// Card codes, serial numbers and order ids (order-service.md 2.8), computed from a seed and a number.
import { hashText, mix } from './random.ts'

export type Card = { readonly code: string; readonly pin: string; readonly serial: string }

// With these prefixes, no script mistakes a sandbox order or code for a real one.
const idPrefix = 'sbx_'
const codePrefix = 'SANDBOX-'

// Crockford's base 32 has no letter that looks like a digit.
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const halfBits = 25
const half = 2 ** halfBits

const rounds = 6

// A Feistel network is a permutation: two of the 2^50 numbers never give the same code.
const permute = (number: number, key: number): number => {
  let left = Math.floor(number / half)
  let right = number % half
  for (let round = 0; round < rounds; round += 1) {
    const mixed = (left ^ mix(right, key + round)) & (half - 1)
    left = right
    right = mixed
  }
  return left * half + right
}

/** The inverse of `permute`. */
const restore = (value: number, key: number): number => {
  let left = Math.floor(value / half)
  let right = value % half
  for (let round = rounds - 1; round >= 0; round -= 1) {
    const mixed = (right ^ mix(left, key + round)) & (half - 1)
    right = left
    left = mixed
  }
  return left * half + right
}

const encode = (value: number, count: number): string => {
  let rest = value
  let text = ''
  for (let index = 0; index < count; index += 1) {
    text = `${alphabet[rest % 32]}${text}`
    rest = Math.floor(rest / 32)
  }
  return text
}

/** Undefined if a character is not in the alphabet. */
const decode = (text: string): number | undefined => {
  let value = 0
  for (const character of text) {
    const digit = alphabet.indexOf(character)
    if (digit === -1) return undefined
    value = value * 32 + digit
  }
  return value
}

const createIdentifier = (number: number, key: number): string =>
  encode(permute(number, key), 10) + encode(mix(number, ~key), 6)

export type OrderIds = ReturnType<typeof createOrderIds>

export const createOrderIds = (seed: string) => {
  const key = hashText(`${seed}/order`)
  const create = (number: number): string => `${idPrefix}${createIdentifier(number, key).toLowerCase()}`
  return {
    create,
    /** Returns the number of the order with this id, whether or not there is such an order yet. */
    findNumber: (id: string): number | undefined => {
      const value = decode(id.slice(idPrefix.length, idPrefix.length + 10).toUpperCase())
      const number = value === undefined ? undefined : restore(value, key)
      return number !== undefined && create(number) === id ? number : undefined
    },
  }
}

export const createCardFactory = (seed: string): ((number: number) => Card) => {
  const codeKey = hashText(`${seed}/code`)
  const serialKey = hashText(`${seed}/serial`)
  const pinKey = hashText(`${seed}/pin`)
  return (number) => ({
    code: codePrefix + createIdentifier(number, codeKey).replace(/.{4}(?=.)/g, '$&-'),
    pin: String(mix(number, pinKey) % 1_000_000).padStart(6, '0'),
    serial: String(permute(number, serialKey)).padStart(16, '0'),
  })
}
