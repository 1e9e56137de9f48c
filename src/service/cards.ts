// Section 2.8: codes, serial numbers and order ids from a seed. Pure: the same seed and number give the same
// code; two numbers never do, because a permutation makes them.
import { keyOf, mix } from './random.ts'

export type Card = { readonly code: string; readonly pin: string; readonly serial: string }

// A pipeline must not mistake an order or a code of this service for a real one.
const idPrefix = 'sbx_'
const codePrefix = 'SANDBOX-'

// Crockford's: no letter that reads as a digit.
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const halfBits = 25
const half = 2 ** halfBits

// A Feistel network: whatever `mix` does, each of the 2^50 numbers comes out exactly once.
const permute = (number: number, key: number): number => {
  let left = Math.floor(number / half)
  let right = number % half
  for (let round = 0; round < 6; round += 1) {
    const mixed = (left ^ mix(right, key + round)) & (half - 1)
    left = right
    right = mixed
  }
  return left * half + right
}

const letters = (value: number, count: number): string => {
  let rest = value
  let text = ''
  for (let place = 0; place < count; place += 1) {
    text = `${alphabet[rest % 32]}${text}`
    rest = Math.floor(rest / 32)
  }
  return text
}

const identifier = (number: number, key: number): string =>
  letters(permute(number, key), 10) + letters(mix(number, ~key), 6)

export const orderIdFrom = (seed: string): ((number: number) => string) => {
  const key = keyOf(`${seed}/order`)
  return (number) => `${idPrefix}${identifier(number, key).toLowerCase()}`
}

export const cardFrom = (seed: string): ((number: number) => Card) => {
  const codeKey = keyOf(`${seed}/code`)
  const serialKey = keyOf(`${seed}/serial`)
  return (number) => ({
    code: codePrefix + identifier(number, codeKey).replace(/.{4}(?=.)/g, '$&-'),
    pin: String(mix(number, keyOf(`${seed}/pin`)) % 1_000_000).padStart(6, '0'),
    serial: String(permute(number, serialKey)).padStart(16, '0'),
  })
}
