// src/contract/account-id.ts: which addresses and names are one account.
import { describe, expect, test } from 'vitest'
import { getAccountId, isSameAccount, parseBaseUrl } from '../../src/contract/account-id.ts'

const isOne = (one: string, other: string): boolean => isSameAccount(getAccountId(one), getAccountId(other))

describe('one account', () => {
  test.each([
    ['http://orders.example', 'https://ORDERS.example.:443//'],
    ['https://orders.example/Shop/V1', 'https://orders.example/shop/v1'],
    ['https://orders.example/shop', 'https://orders.example/a/../shop/.'],
    ['http://127.0.0.1:4010', 'http://[::1]:4010'],
    ['http://localhost.:4010', 'http://2130706433:4010'],
    ['https://10.1.2.3', 'https://[::ffff:a01:203]'],
  ])('%s and %s', (one, other) => expect(isOne(one, other)).toBe(true))

  test('a name in capital letters', () => {
    const [upper, lower] = [
      getAccountId('https://orders.example', 'EU'),
      getAccountId('https://orders.example', 'eu'),
    ]
    expect(isSameAccount(upper, lower)).toBe(true)
  })
})

describe('two accounts', () => {
  test.each([
    ['https://orders.example', 'https://orders.example:8443'],
    ['https://orders.example', 'https://orders.example/shop'],
    ['https://orders.example', 'https://orders.example.com'],
  ])('%s and %s', (one, other) => expect(isOne(one, other)).toBe(false))
})

test.each([
  'https://orders.example/sh%C3%B6p',
  'https://orders.example/shöp',
  'https://orders.example/a%2Cb',
])('a path that could be spelled in two ways is refused: %s', (text) =>
  expect(parseBaseUrl(text, false)).toEqual({ problems: ['a path of plain ASCII characters'] }),
)
