// The commands that read responses, in each output format: their exit codes and where their cards appear.
import { expect } from 'vitest'
import { limits } from '../../src/contract/limits.ts'
import { isFinal, isPastPending, pendingState } from '../../src/contract/states.ts'
import { exitCodes } from '../../src/exit-codes.ts'
import type { Situation } from '../support/in-process.ts'
import type { Kind } from './cards.ts'
import { answersTime } from './fake-service.ts'
import {
  expectAllInCsv,
  expectAllInJson,
  expectAllInLines,
  expectAllInPage,
  expectAllInText,
  kinds,
} from './find-cards.ts'
import { type Delivered, orderId, type Response } from './responses.ts'
import { escapedText } from './texts.ts'

/** The result of a run, with the exported file and the content of the clipboard. */
export type RunResult = {
  readonly stdout: string
  readonly stderr: string
  readonly file: string
  readonly copied: readonly string[]
}

export type Way = {
  readonly words: string
  /** Commands that run first, so that the journal has the order. */
  readonly after?: string
  /** The order is read before it is confirmed. */
  readonly confirms?: true
  readonly spends?: true
  /** Codes may be on the terminal. */
  readonly reveals?: true
  readonly situation?: Situation
  /** The exit code for a documented response. */
  readonly exit: (response: Response) => number
  /** Expects each of these cards in the output. */
  readonly hands?: (came: RunResult, cards: readonly Delivered[]) => void
}

const { ok, usage, refused, unknown, failed, partial, expired } = exitCodes
const timedOut = exitCodes['timed-out']

/** A read succeeds whatever the state of the order. */
const read = (): number => ok.code

const stateOf = ({ document }: Response): string => String(document.data.state)

const byState = (response: Response): number => {
  const state = stateOf(response)
  if (state === 'failed' || state === 'rejected') return failed.code
  return state === 'partial' ? partial.code : ok.code
}

/** Every other response shows a different order under the id. */
const isPlaced = ({ document }: Response): boolean =>
  String(document.data.reference).trim().normalize('NFC') === placedReference

const confirmed = (response: Response): number => (isPlaced(response) ? byState(response) : unknown.code)

/** The watch of an order that never becomes final is interrupted. */
const followed = (response: Response): number =>
  isFinal(stateOf(response)) || !isPlaced(response) ? confirmed(response) : exitCodes.interrupted.code

/** An order that was created elsewhere expires for people after 1.5 times the documented validity, and 2 s. */
const validityMs = limits.validityMs * 1.5 + 2_000

const isLapsed = ({ document }: Response): boolean => {
  const { state, createdDate } = document.data as { state: string; createdDate: { _seconds: number } }
  return state === 'created' && answersTime - createdDate._seconds * 1000 > validityMs
}

/** An order that never becomes final is watched until the timeout. An unconfirmed order expires. */
const watched = (response: Response): number => {
  if (isLapsed(response)) return expired.code
  return isFinal(stateOf(response)) ? byState(response) : timedOut.code
}

type Products = Record<string, { readonly request: { readonly quantity: number } }>

const noCardsYet = (state: string): number => {
  if (isPastPending(state)) return timedOut.code
  return state === pendingState ? refused.code : unknown.code
}

const redeemed =
  (isThere: (card: Delivered) => boolean = () => true) =>
  (response: Response): number => {
    const { cards, document } = response
    const state = stateOf(response)
    // Before a confirm, a link alone is a template.
    const isTemplate = !isPastPending(state) && !cards.some(has('code', 'pin', 'serial'))
    if (cards.length === 0 || isTemplate) {
      if (!isFinal(state)) return noCardsYet(state)
      return state === 'failed' || state === 'rejected' ? failed.code : partial.code
    }
    if (!cards.some(isThere)) return usage.code
    const isShort = Object.entries(document.data.products as Products).some(
      ([sku, { request }]) => cards.filter((card) => card.sku === sku).length < request.quantity,
    )
    return isShort && isFinal(state) ? partial.code : ok.code
  }

const has =
  (...wanted: readonly Kind[]) =>
  (card: Delivered): boolean =>
    wanted.some((kind) => card[kind] !== undefined)

/** Wide enough for a table. */
const allOnScreen = ({ stdout }: RunResult, cards: readonly Delivered[]): void => {
  const values = cards.flatMap((card) => kinds.map((kind) => card[kind]).filter((each) => each !== undefined))
  expect(values.filter((value) => !stdout.includes(escapedText(value)))).toEqual([])
}

const allDrawn = ({ stdout, stderr }: RunResult, cards: readonly Delivered[]): void => {
  const drawn = cards.flatMap((card, at) => (has('link', 'code', 'pin')(card) ? [at + 1] : []))
  // A title for each code, and the QR code below it.
  const titles = [...stdout.matchAll(/^(\d+)(?: {2}.*)?\n[ █▀▄]{20,}$/gm)].map(([, number]) => Number(number))
  expect(titles).toEqual(drawn)
  expect(stderr.match(/^nothing to draw/gm)?.length ?? 0).toBe(cards.length - drawn.length)
}

const wide = { COLUMNS: '4000' }
const redeem = `redeem ${orderId}`
const placedReference = 'PO-1042'
const create = `create --product GAME-DE:20x2 --wallet USD --reference ${placedReference}`

const onlyOf = (kind: Kind): Way => ({
  ...{ words: `${redeem} --only ${kind} --reveal`, reveals: true, exit: redeemed(has(kind)) },
  hands: ({ stdout }, cards) => expectAllInLines(stdout, cards, kind),
})

const exportTo = (
  ending: string,
  check: (text: string, cards: readonly Delivered[]) => void,
): readonly [string, Way] => [
  `redeem to .${ending}`,
  {
    ...{ words: `${redeem} --export HOME/cards.${ending}`, exit: redeemed() },
    hands: ({ file }, cards) => check(file, cards),
  },
]

export const ways: Readonly<Record<string, Way>> = {
  get: { words: `get ${orderId}`, exit: read },
  'get on a narrow terminal': {
    words: `get ${orderId}`,
    exit: read,
    situation: { terminals: ['stdout', 'stderr'], env: { COLUMNS: '20', NO_COLOR: '1' } },
  },
  'get, --debug': { words: `get ${orderId} --debug`, exit: read },
  'get in words': { words: `get ${orderId} --explain`, exit: read },
  'get, ids': { words: `get ${orderId} -q`, exit: read },
  'get as JSON': { words: `get ${orderId} --json`, exit: read },
  'get a field': { words: `get ${orderId} --json --fields redeem`, exit: read },
  'get, revealed': {
    ...{ words: `get ${orderId} --reveal`, reveals: true, exit: read, hands: allOnScreen },
  },
  'get as JSON, revealed': {
    ...{ words: `get ${orderId} --json --reveal`, reveals: true, exit: read },
    hands: ({ stdout }, cards) => expectAllInJson(stdout, cards),
  },
  redeem: { words: redeem, exit: redeemed() },
  'redeem as JSON': { words: `${redeem} --json`, exit: redeemed() },
  'redeem, ids': { words: `${redeem} -q`, exit: redeemed() },
  'redeem, a kind masked': { words: `${redeem} --only code`, exit: redeemed(has('code')) },
  'redeem, revealed': {
    ...{ words: `${redeem} --reveal`, reveals: true, exit: redeemed(), hands: allOnScreen },
  },
  'redeem as JSON, revealed': {
    ...{ words: `${redeem} --json --reveal`, reveals: true, exit: redeemed() },
    hands: ({ stdout }, cards) => expectAllInJson(stdout, cards),
  },
  ...Object.fromEntries(kinds.map((kind) => [`redeem, each ${kind}`, onlyOf(kind)])),
  'redeem as QR codes': {
    ...{ words: `${redeem} --qr --reveal`, reveals: true, hands: allDrawn },
    exit: redeemed(has('link', 'code', 'pin')),
  },
  'redeem by copy': {
    ...{ words: `${redeem} --copy --only code --card 1` },
    situation: { platform: 'linux', env: { DISPLAY: ':0' } },
    exit: (response) => redeemed((card) => response.cards[0] === card && has('code')(card))(response),
    hands: ({ copied }, [card]) => expect(copied[0]).toBe(card?.code),
  },
  ...Object.fromEntries([
    exportTo('json', expectAllInJson),
    exportTo('csv', expectAllInCsv),
    exportTo('txt', expectAllInText),
    exportTo('html', expectAllInPage),
  ]),
  watch: { words: `watch ${orderId} --timeout 2m`, exit: watched },
  'watch as JSON': { words: `watch ${orderId} --timeout 2m --json`, exit: watched },
  'watch, revealed': {
    ...{ words: `watch ${orderId} --timeout 2m --json --reveal`, reveals: true, exit: watched },
    hands: ({ stdout }, cards) => expectAllInJson(stdout.split('\n').at(-2) ?? '', cards),
  },
  create: { words: create, spends: true, exit: () => ok.code },
  'create as JSON': { words: `${create} --json`, spends: true, exit: () => ok.code },
  'create to the end': {
    ...{ words: `${create} --watch --json`, spends: true, confirms: true },
    exit: followed,
  },
  'create to the end, revealed': {
    ...{ words: `${create} --watch --reveal`, spends: true, confirms: true, reveals: true },
    ...{ exit: followed, hands: allOnScreen },
  },
  confirm: { words: `confirm ${orderId} --yes`, spends: true, confirms: true, exit: confirmed },
  'confirm as JSON': { words: `confirm ${orderId} --json`, spends: true, confirms: true, exit: confirmed },
  list: { words: 'list', after: create, exit: () => ok.code },
  'list, refreshed': { words: 'list --refresh', after: create, exit: read },
  'list as JSON, refreshed': { words: 'list --refresh --json', after: create, exit: read },
  reconcile: { words: 'reconcile', after: create, exit: read },
  'reconcile as JSON': { words: 'reconcile --json', after: create, exit: read },
  'list of reveals': { words: 'list --reveals', after: `${redeem} --reveal`, exit: () => ok.code },
}

/** The environment of every run. */
export const environment = { ...wide, TZ: 'UTC', ORDERCTL_API_KEY: 'a-key-of-the-fuzz' }
