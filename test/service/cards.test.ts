// Codes, serial numbers and order ids come from a seed, and never repeat.
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { createCardFactory, createOrderIds } from '../../src/service/cards.ts'

const count = 20_000
const numbers = Array.from({ length: count }, (_, number) => number)

test('20,000 cards have different codes and serial numbers, and 20,000 orders different ids', () => {
  const [card, id] = [createCardFactory('seed'), createOrderIds('seed')]
  const cards = numbers.map(card)
  // The permutation gives the first ten characters after the prefix.
  expect(new Set(cards.map(({ code }) => code.slice(8, 20))).size).toBe(count)
  expect(new Set(cards.map(({ serial }) => serial)).size).toBe(count)
  expect(new Set(numbers.map(id)).size).toBe(count)
})

test('the same seed gives the same card for a number, and a different seed gives a different card', () => {
  const number = fc.nat(2 ** 31 - 1)
  const seeds = fc.uniqueArray(fc.string(), { minLength: 2, maxLength: 2 })
  fc.assert(
    fc.property(seeds, number, ([one = '', other = ''], at) => {
      expect(createCardFactory(one)(at)).toEqual(createCardFactory(one)(at))
      expect(createCardFactory(one)(at).code).not.toBe(createCardFactory(other)(at).code)
      expect(createOrderIds(one)(at)).not.toBe(createOrderIds(other)(at))
    }),
  )
})

test('a card has the documented form, and its code and serial number do not reveal the next ones', () => {
  const cards = numbers.slice(0, 1_000).map(createCardFactory('seed'))
  for (const { code, pin, serial } of cards) {
    expect(code).toMatch(/^SANDBOX-([0-9A-HJKMNP-TV-Z]{4}-){3}[0-9A-HJKMNP-TV-Z]{4}$/)
    expect([pin, serial]).toEqual([expect.stringMatching(/^\d{6}$/), expect.stringMatching(/^\d{16}$/)])
  }
  const isSorted = (texts: string[]) => texts.join() === texts.toSorted().join()
  const shared = cards.filter(({ code }, at) => code.slice(8, 10) === cards[at + 1]?.code.slice(8, 10))
  expect(isSorted(cards.map(({ code }) => code))).toBe(false)
  expect(isSorted(cards.map(({ serial }) => serial))).toBe(false)
  expect(shared.length).toBeLessThan(20)
})

test('codes, PINs, serial numbers and ids do not change between releases', () => {
  // With a different permutation, existing state files could give a code a second time.
  const card = createCardFactory('seed')
  expect([card(0), card(1), createOrderIds('seed')(1)]).toEqual([
    { code: 'SANDBOX-3PGH-A8QY-19PW-CF9N', pin: '157587', serial: '0138448083762301' },
    { code: 'SANDBOX-A5HH-SRF0-MR5S-ZGXE', pin: '862143', serial: '0404672599963690' },
    'sbx_8q4z6kwk4h5xwzd2',
  ])
})
