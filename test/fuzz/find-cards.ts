// Finds the values of cards in each output format.
import { parse } from 'csv-parse/sync'
import { expect } from 'vitest'
import type { Kind } from './cards.ts'
import type { Delivered } from './responses.ts'
import { escapedText } from './texts.ts'

export const kinds: readonly Kind[] = ['code', 'pin', 'serial', 'link']

export const valuesOf = (cards: readonly Delivered[]): string[] =>
  cards.flatMap((card) => kinds.map((kind) => card[kind]).filter((value) => value !== undefined))

/** Lone surrogates cannot be written as UTF-8. */
const plain = (cards: readonly Delivered[]) =>
  cards
    .map(({ sku, ...card }) => [sku, ...kinds.map((kind) => card[kind] ?? '')].join('\n').toWellFormed())
    .sort()

const leavesIn = (value: unknown): string[] =>
  typeof value === 'object' && value !== null
    ? Object.values(value).flatMap(leavesIn)
    : [typeof value === 'number' ? String(value) : String(value ?? '')]

export const expectAllInJson = (json: string, cards: readonly Delivered[]): void => {
  const leaves = new Set(leavesIn(JSON.parse(json)))
  expect(valuesOf(cards).filter((value) => !leaves.has(value))).toEqual([])
}

export const expectAllInCsv = (csv: string, cards: readonly Delivered[]): void => {
  const rows: Record<string, string>[] = parse(csv, { columns: true, bom: false })
  const found = rows.map((row): Delivered => {
    const of = (name: string): string => (row[name] ?? '').replace(/^'/, '')
    return { sku: of('sku'), code: of('code'), pin: of('pin'), serial: of('serial'), link: of('link') }
  })
  expect(plain(found)).toEqual(plain(cards))
}

export const expectAllInText = (text: string, cards: readonly Delivered[]): void => {
  expect(valuesOf(cards).filter((value) => !text.includes(escapedText(value)))).toEqual([])
  expect(text.match(/^\d+\. /gm) ?? []).toHaveLength(cards.length)
}

const unescaped = (html: string): string =>
  html
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')

export const expectAllInPage = (html: string, cards: readonly Delivered[]): void => {
  const sheets = html.match(/<article>[\s\S]*?<\/article>/g) ?? []
  expect(sheets.length).toBe(cards.length)
  const text = unescaped(html)
  expect(valuesOf(cards).filter((value) => !text.includes(escapedText(value)))).toEqual([])
}

/** One value a line. */
export const expectAllInLines = (lines: string, cards: readonly Delivered[], kind: Kind): void =>
  expect(lines.split('\n').slice(0, -1)).toEqual(cards.flatMap((card) => card[kind] ?? []).map(escapedText))

const letters = (text: string): string =>
  text
    .replace(/\\u\{[\da-f]+\}|\\u[\da-f]{4}|\\n/g, '')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '')

// A shorter value may appear by chance.
const minLength = 6

const named = new Map(Object.entries({ lt: '<', gt: '>', amp: '&' }))
const toLetter = (digits: string, base: number): string => String.fromCodePoint(Number.parseInt(digits, base))

const decoded = (text: string): string =>
  text
    .replaceAll(/%([0-7][\da-f])/gi, (_, digits) => toLetter(digits, 16))
    .replaceAll(/&#(\d{1,6});?/g, (_, digits) => toLetter(digits, 10))
    .replaceAll(/&#x([\da-f]{1,4});?/gi, (_, digits) => toLetter(digits, 16))
    .replaceAll(/&(\w+);/g, (_, name) => named.get(name) ?? ' ')

/** The text as a terminal, browser, server and person read it. Each reading is searched separately. */
const readingsOf = (text: string): string[] => {
  const layers = [text, text.normalize('NFKC')]
  for (let layer = 0; layer < 3; layer += 1) layers.push(decoded(layers.at(-1) ?? ''))
  return layers.flatMap((each) => [each, each.replaceAll(/<!--.*?-->|<[^<>]*>/gs, '')])
}

/** The values that the text contains in any spelling, grouping or escaping. */
export const findShownValues = (text: string, cards: readonly Delivered[]): string[] => {
  const answers = readingsOf(text).map(letters).join('\n')
  return valuesOf(cards).filter((value) => {
    const wanted = letters(value)
    return wanted.length >= minLength && answers.includes(wanted)
  })
}
