// The commands that read responses, in each output format: their exit codes and where their cards appear.
import { expect } from 'vitest'
import { orderLimits } from '../../src/contract/limits.ts'
import { isFinal, isPastPending, pendingState } from '../../src/contract/states.ts'
import { exitCodes } from '../../src/errors.ts'
import { rowsOf } from '../support/rows.ts'
import type { Kind } from './cards.ts'
import {
  expectAllInCsv,
  expectAllInJson,
  expectAllInLines,
  expectAllInPage,
  expectAllInText,
  valuesOf,
} from './find-cards.ts'
import { type Delivered, orderId, type Response } from './responses.ts'
import { escapedText } from './texts.ts'

/** Shortly after the orders of the responses were created, so that they have not expired. */
export const answersTime = 1_784_894_409_000

/** The result of a run, with the exported file and the content of the clipboard. */
export type RunResult = {
  readonly stdout: string
  readonly stderr: string
  readonly file: string
  readonly copied: readonly string[]
}

type Exit = (response: Response) => number
type Hands = (came: RunResult, cards: readonly Delivered[]) => void

export type Way = {
  readonly words: string
  /** A command that runs first, so that the journal has the order. */
  readonly after?: string
  /** Codes may be on the terminal. */
  readonly reveals: boolean
  /** The order is read before it is confirmed. */
  readonly confirms: boolean
  readonly env: Readonly<Record<string, string>>
}

const { ok, usage, refused, unknown, failed, partial, expired } = exitCodes
const timedOut = exitCodes['timed-out']

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

type Products = Record<string, { readonly request: { readonly quantity: number } }>

const hasTooFewCards = ({ cards, document }: Response): boolean =>
  Object.entries(document.data.products as Products).some(
    ([sku, { request }]) => cards.filter((card) => card.sku === sku).length < request.quantity,
  )

/** A successful order without all its cards. */
const isIncomplete = (response: Response): boolean =>
  stateOf(response) === 'successful' && hasTooFewCards(response)

/** The watch of an order that never becomes final is interrupted. */
const followed = (response: Response): number =>
  isPlaced(response) && isIncomplete(response)
    ? partial.code
    : isFinal(stateOf(response)) || !isPlaced(response)
      ? confirmed(response)
      : exitCodes.interrupted.code

/** An order that was created elsewhere expires for people after 1.5 times the documented validity, and 2 s. */
const validityMs = orderLimits.validityMs * 1.5 + 2_000

const isLapsed = ({ document }: Response): boolean => {
  const { state, createdDate } = document.data as { state: string; createdDate: { _seconds: number } }
  return state === 'created' && answersTime - createdDate._seconds * 1000 > validityMs
}

/** An order that never becomes final is watched until the timeout. An unconfirmed order expires. */
const watched = (response: Response): number => {
  if (isLapsed(response)) return expired.code
  return isFinal(stateOf(response)) && !isIncomplete(response) ? byState(response) : timedOut.code
}

const noCardsYet = (state: string): number => {
  if (isPastPending(state)) return timedOut.code
  return state === pendingState ? refused.code : unknown.code
}

const redeemed =
  (isThere: (card: Delivered) => boolean = () => true) =>
  (response: Response): number => {
    const { cards } = response
    const state = stateOf(response)
    // Before a confirm, a link alone is a template.
    const isTemplate = !isPastPending(state) && !cards.some(has('code', 'pin', 'serial'))
    if (cards.length === 0 || isTemplate) {
      if (!isFinal(state)) return noCardsYet(state)
      return state === 'failed' || state === 'rejected' ? failed.code : partial.code
    }
    if (!cards.some(isThere)) return usage.code
    return hasTooFewCards(response) && isFinal(state) ? partial.code : ok.code
  }

const has =
  (...wanted: readonly Kind[]) =>
  (card: Delivered): boolean =>
    wanted.some((kind) => card[kind] !== undefined)

/** Wide enough for a table. */
const allOnScreen: Hands = ({ stdout }, cards) =>
  expect(valuesOf(cards).filter((value) => !stdout.includes(escapedText(value)))).toEqual([])

const allDrawn: Hands = ({ stdout, stderr }, cards) => {
  const drawn = cards.flatMap((card, at) => (has('link', 'code', 'pin')(card) ? [at + 1] : []))
  // A title for each code, and the QR code below it.
  const titles = [...stdout.matchAll(/^(\d+)(?: {2}.*)?\n[ █▀▄]{20,}$/gm)].map(([, number]) => Number(number))
  expect(titles).toEqual(drawn)
  expect(stderr.match(/^nothing to draw/gm)?.length ?? 0).toBe(cards.length - drawn.length)
}

const linesOf =
  (kind: Kind): Hands =>
  ({ stdout }, cards) =>
    expectAllInLines(stdout, cards, kind)

/** The exit code for a documented response. */
const exits: Readonly<Record<string, Exit>> = {
  ...{ confirmed, followed, watched, redeemed: redeemed(), ok: () => ok.code },
  ...{ code: redeemed(has('code')), pin: redeemed(has('pin')) },
  ...{ serial: redeemed(has('serial')), link: redeemed(has('link')) },
  drawn: redeemed(has('link', 'code', 'pin')),
  copied: (response) => redeemed((card) => response.cards[0] === card && has('code')(card))(response),
}

/** Expects each of the cards in the output. */
const hands: Readonly<Record<string, Hands>> = {
  screen: allOnScreen,
  drawn: allDrawn,
  JSON: ({ stdout }, cards) => expectAllInJson(stdout, cards),
  'last line': ({ stdout }, cards) => expectAllInJson(stdout.split('\n').at(-2) ?? '', cards),
  ...{ codes: linesOf('code'), pins: linesOf('pin'), serials: linesOf('serial'), links: linesOf('link') },
  clipboard: ({ copied }, [card]) => expect(copied[0]).toBe(card?.code),
  '.jsonl': ({ file }, cards) => expectAllInJson(`[${file.trim().split('\n').join(',')}]`, cards),
  '.csv': ({ file }, cards) => expectAllInCsv(file, cards),
  '.txt': ({ file }, cards) => expectAllInText(file, cards),
  '.html': ({ file }, cards) => expectAllInPage(file, cards),
}

const placedReference = 'PO-1042'
const create = `create --product GAME-DE:20x2 --wallet USD --reference ${placedReference}`

/** Each command with its exit code, where it hands over the cards, and the command before it. */
const table = rowsOf(`
  get ID                                 | ok
  COLUMNS=20 get ID                      | ok
  get ID --debug                         | ok
  explain ID                             | ok
  get ID -q                              | ok
  get ID --json                          | ok
  get ID --json --fields service.redeem  | ok
  get ID --reveal                        | ok        | screen
  get ID --json --reveal                 | ok        | JSON
  redeem ID                              | redeemed
  redeem ID --json                       | redeemed
  redeem ID --only code                  | code
  redeem ID --reveal                     | redeemed  | screen
  redeem ID --json --reveal              | redeemed  | JSON
  redeem ID --only code --reveal         | code      | codes
  redeem ID --only pin --reveal          | pin       | pins
  redeem ID --only serial --reveal       | serial    | serials
  redeem ID --only link --reveal         | link      | links
  redeem ID --qr --reveal                | drawn     | drawn
  redeem ID --copy --only code --card 1  | copied    | clipboard
  redeem ID --export HOME/cards.jsonl    | redeemed  | .jsonl
  redeem ID --export HOME/cards.csv      | redeemed  | .csv
  redeem ID --export HOME/cards.txt      | redeemed  | .txt
  redeem ID --export HOME/cards.html     | redeemed  | .html
  watch ID --wait 2m                     | watched
  watch ID --wait 2m --json              | watched
  watch ID --wait 2m --json --reveal     | watched   | last line
  CREATE                                 | ok
  CREATE --json                          | ok
  CREATE --confirm --watch --json                  | followed
  CREATE --confirm --watch --reveal                | followed  | screen
  confirm ID --yes                       | confirmed
  confirm ID --json                      | confirmed
  list                                   | ok        |           | CREATE
  reconcile                              | ok        |           | CREATE
  reconcile --json                       | ok        |           | CREATE
  reveals                                | ok        |           | redeem ID --reveal
`)

const expand = (line: string): string => line.replace('CREATE', create).replace('ID', orderId)

const wayOf = (line: string, after?: string): Way => {
  const [, columns = '4000', words = ''] = /^(?:COLUMNS=(\d+) )?(.*)$/.exec(expand(line)) ?? []
  return {
    ...{ words, reveals: /--reveal( |$)/.test(words), confirms: /^confirm|--watch/.test(words) },
    ...(after === undefined ? {} : { after: expand(after) }),
    env: { COLUMNS: columns, NO_COLOR: '1', DISPLAY: ':0', TZ: 'UTC', ORDERCTL_API_KEY: 'a-key-of-the-fuzz' },
  }
}

export const ways = table.map(([line = '', exit = '', handed = '', after]) => ({
  ...{ name: line, way: wayOf(line, after), exit: exits[exit] as Exit, hands: hands[handed] },
}))
