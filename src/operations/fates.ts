// The decision table of an order: what orderctl says about it, by its money, its progress and the response. view.ts finds
// the row of an order. ui/screens/state.ts has the sentences.
import type { ExitName } from '../errors.ts'
import type { Known } from '../journal/orders/entries.ts'
import { isHolding, isUnprovenOrder } from '../journal/orders/standings.ts'

/**
 * `unspent`: proven, or no confirm of the order was begun. `not-confirmed-so-far`: a refusal, which is no
 * proof, or an order that is not in the journal and is shown as created.
 */
export type Money = 'unspent' | 'not-confirmed-so-far' | 'maybe' | 'spent'

/** `incomplete`: successful, but cards are missing. They may still come. */
export type Progress =
  | ('not-created' | 'waiting' | 'expired')
  | ('in-progress' | 'successful' | 'incomplete' | 'partial' | 'failed' | 'rejected' | 'undocumented')

/**
 * What the response is. `behind`: it shows the order as before a confirm or a result that is known. `stranger`: it shows a
 * different order under the id. `none`: the service was not asked.
 */
export type Reading = 'current' | 'behind' | 'stranger' | 'forgotten' | 'unreadable' | 'none'

/** How long it makes sense to wait for the order. `open`: until it changes. */
export const waitMs = { none: 0, short: 120_000, long: 1_800_000, open: Number.POSITIVE_INFINITY } as const
type Wait = keyof typeof waitMs

/** What the command needs to succeed: to show the order, that it is confirmed, or that it is final. */
export type Wants = 'shown' | 'confirmed' | 'final'

/** What the sentence on the screen is about: the money and the progress, or the response. */
export type Subject = 'progress' | 'stranger' | 'behind' | 'by-hand'

type Next =
  | ('none' | 'create' | 'confirm' | 'watch' | 'redeem' | 'explain' | 'order-again')
  | ('reconcile' | 'wait-for-proof' | 'settle-by-hand')

/** What a row of the table says. */
export type Verdict = {
  readonly says: Subject
  readonly wait: Wait
  readonly exits: Readonly<Record<Wants, ExitName>>
  readonly next: Next
}

type OneOrTwo<Word extends string> = Word | `${Word}|${Word}`
/** `repeated`: cards have the codes of others. `again`: create --again may order it anew. */
type Condition = 'repeated' | 'by-hand' | 'proof' | 'again'
type Fate = readonly [
  progress: OneOrTwo<Progress> | 'any',
  reading: OneOrTwo<Reading>,
  /** Of a row that needs one more. */
  condition: Condition | '',
  says: Subject,
  wait: Wait,
  ...exits: readonly [shown: ExitName, confirmed: ExitName, final: ExitName],
  next: Next,
]

/**
 * What the journal has of an order that is not paid. `lost`: no id, or that of a different order. `void`: for another
 * reason. `unproven`: a confirm of it may have spent.
 */
type Case = 'spent' | `${'absent' | 'lost' | 'void' | 'pending' | 'unproven'}, ${Exclude<Money, 'spent'>}`

/** What orderctl says about an order. The first row that fits decides. An exit code depends on what the command needs. */
// biome-ignore format: one row a line
const fates: Readonly<Partial<Record<Case, readonly Fate[]>>> = {
  //progress                  reading         condition   says        wait     shown          confirmed      final          next
  spent: [
    ['in-progress',            'current|none', '',         'progress', 'open',  'ok',          'ok',          'unknown',     'watch'],
    ['undocumented',           'current',      '',         'progress', 'long',  'ok',          'ok',          'unknown',     'watch'],
    ['incomplete',             'current',      'repeated', 'progress', 'none',  'ok',          'ok',          'partial',     'watch'],
    ['incomplete',             'current',      '',         'progress', 'short', 'ok',          'ok',          'partial',     'watch'],
    ['successful',             'current',      'repeated', 'progress', 'none',  'ok',          'ok',          'partial',     'redeem'],
    ['successful',             'current',      '',         'progress', 'none',  'ok',          'ok',          'ok',          'redeem'],
    ['successful',             'none',         '',         'progress', 'none',  'ok',          'ok',          'unknown',     'redeem'],
    ['partial',                'current',      '',         'progress', 'none',  'ok',          'partial',     'partial',     'explain'],
    ['partial',                'none',         '',         'progress', 'none',  'ok',          'partial',     'unknown',     'explain'],
    ['failed|rejected',        'current',      '',         'progress', 'none',  'ok',          'failed',      'failed',      'explain'],
    ['failed|rejected',        'none',         '',         'progress', 'none',  'ok',          'failed',      'unknown',     'explain'],
    ['any',                    'behind',       'by-hand',  'by-hand',  'long',  'ok',          'unknown',     'unknown',     'watch'],
    ['in-progress|successful', 'behind',       '',         'behind',   'long',  'ok',          'ok',          'unknown',     'watch'],
    ['partial',                'behind',       '',         'behind',   'long',  'ok',          'partial',     'unknown',     'watch'],
    ['failed|rejected',        'behind',       '',         'behind',   'long',  'ok',          'failed',      'unknown',     'watch'],
    ['any',                    'unreadable',   '',         'progress', 'long',  'unavailable', 'unknown',     'unknown',     'watch'],
    ['any',                    'forgotten',    '',         'progress', 'short', 'unknown',     'unknown',     'unknown',     'none'],
    ['any',                    'stranger',     '',         'stranger', 'short', 'unknown',     'unknown',     'unknown',     'none']],
  'absent, not-confirmed-so-far': [
    ['waiting',                'current',      '',         'progress', 'open',  'ok',          'refused',     'refused',     'confirm'],
    ['expired',                'current',      '',         'progress', 'none',  'ok',          'expired',     'expired',     'none']],
  'absent, maybe': [
    ['undocumented',           'current',      '',         'progress', 'long',  'ok',          'unknown',     'unknown',     'watch'],
    ['waiting',                'none',         '',         'progress', 'open',  'ok',          'unknown',     'unknown',     'none'],
    ['waiting',                'unreadable',   '',         'progress', 'long',  'unavailable', 'unavailable', 'unavailable', 'none'],
    ['waiting',                'forgotten',    '',         'progress', 'short', 'refused',     'refused',     'refused',     'none']],
  'lost, unspent': [
    ['not-created',            'current|none', '',         'progress', 'none',  'ok',          'unavailable', 'unavailable', 'create'],
    ['not-created',            'unreadable',   '',         'progress', 'none',  'unavailable', 'unavailable', 'unavailable', 'create'],
    ['not-created',            'forgotten',    '',         'progress', 'none',  'refused',     'refused',     'refused',     'create'],
    ['not-created',            'stranger',     '',         'stranger', 'none',  'refused',     'refused',     'refused',     'create']],
  'lost, maybe': [
    ['not-created',            'current',      '',         'progress', 'none',  'ok',          'unknown',     'unknown',     'watch']],
  'void, unspent': [
    ['not-created',            'current|none', 'again',    'progress', 'none',  'ok',          'unavailable', 'unavailable', 'order-again'],
    ['not-created',            'unreadable',   'again',    'progress', 'none',  'unavailable', 'unavailable', 'unavailable', 'order-again'],
    ['expired',                'current|none', 'again',    'progress', 'none',  'ok',          'expired',     'expired',     'order-again'],
    ['expired',                'unreadable',   'again',    'progress', 'none',  'unavailable', 'expired',     'expired',     'order-again'],
    ['any',                    'forgotten',    'again',    'progress', 'none',  'refused',     'refused',     'refused',     'order-again'],
    ['not-created',            'current|none', '',         'progress', 'none',  'ok',          'unavailable', 'unavailable', 'none'],
    ['not-created',            'unreadable',   '',         'progress', 'none',  'unavailable', 'unavailable', 'unavailable', 'none'],
    ['expired',                'current|none', '',         'progress', 'none',  'ok',          'expired',     'expired',     'none'],
    ['expired',                'unreadable',   '',         'progress', 'none',  'unavailable', 'expired',     'expired',     'none'],
    ['any',                    'forgotten',    '',         'progress', 'none',  'refused',     'refused',     'refused',     'none'],
    ['any',                    'stranger',     '',         'stranger', 'none',  'refused',     'refused',     'refused',     'none']],
  'void, maybe': [
    ['any',                    'current',      '',         'progress', 'none',  'ok',          'unknown',     'unknown',     'watch']],
  'pending, unspent': [
    ['waiting',                'current|none', '',         'progress', 'open',  'ok',          'refused',     'refused',     'confirm'],
    ['waiting',                'unreadable',   '',         'progress', 'long',  'unavailable', 'unavailable', 'unavailable', 'confirm'],
    ['waiting',                'forgotten',    '',         'progress', 'short', 'refused',     'refused',     'refused',     'none'],
    ['undocumented',           'current',      '',         'progress', 'long',  'ok',          'refused',     'refused',     'confirm'],
    ['expired',                'current|none', 'again',    'progress', 'none',  'ok',          'expired',     'expired',     'order-again'],
    ['expired',                'current|none', '',         'progress', 'none',  'ok',          'expired',     'expired',     'none'],
    ['expired',                'unreadable',   '',         'progress', 'long',  'unavailable', 'expired',     'expired',     'reconcile'],
    ['expired',                'forgotten',    'again',    'progress', 'short', 'refused',     'refused',     'refused',     'order-again'],
    ['expired',                'forgotten',    '',         'progress', 'short', 'refused',     'refused',     'refused',     'none'],
    ['any',                    'stranger',     '',         'stranger', 'short', 'refused',     'refused',     'refused',     'none']],
  'pending, maybe': [
    ['undocumented',           'current',      '',         'progress', 'long',  'ok',          'unknown',     'unknown',     'watch']],
  'unproven, not-confirmed-so-far': [
    ['waiting',                'current|none', '',         'progress', 'short', 'ok',          'refused',     'unknown',     'confirm'],
    ['waiting',                'unreadable',   '',         'progress', 'short', 'unavailable', 'unavailable', 'unknown',     'confirm'],
    ['expired',                'current',      'proof',    'progress', 'short', 'ok',          'expired',     'unknown',     'wait-for-proof'],
    ['expired',                'current',      '',         'progress', 'short', 'ok',          'expired',     'unknown',     'settle-by-hand'],
    ['expired',                'none',         '',         'progress', 'short', 'ok',          'expired',     'unknown',     'reconcile'],
    ['expired',                'unreadable',   '',         'progress', 'short', 'unavailable', 'expired',     'unknown',     'reconcile'],
    ['any',                    'forgotten',    '',         'progress', 'short', 'unknown',     'unknown',     'unknown',     'settle-by-hand'],
    ['any',                    'stranger',     '',         'stranger', 'short', 'unknown',     'unknown',     'unknown',     'settle-by-hand']],
  'unproven, maybe': [
    ['any',                    'current',      'proof',    'progress', 'short', 'ok',          'unknown',     'unknown',     'wait-for-proof'],
    ['any',                    'current',      '',         'progress', 'short', 'ok',          'unknown',     'unknown',     'settle-by-hand'],
    ['any',                    'none',         '',         'progress', 'short', 'ok',          'unknown',     'unknown',     'reconcile'],
    ['any',                    'unreadable',   '',         'progress', 'short', 'unavailable', 'unknown',     'unknown',     'reconcile'],
    ['any',                    'forgotten',    '',         'progress', 'short', 'unknown',     'unknown',     'unknown',     'settle-by-hand'],
    ['any',                    'stranger',     '',         'stranger', 'short', 'unknown',     'unknown',     'unknown',     'settle-by-hand']],
}

const findCase = (known: Known | undefined, money: Money): Case => {
  if (money === 'spent') return money
  if (known === undefined) return `absent, ${money}`
  const { standing, voidReason } = known.entry
  if (isUnprovenOrder(known.entry)) return `unproven, ${money}`
  if (isHolding(known.entry)) return `pending, ${money}`
  const isLost = standing === 'creating' || voidReason === 'lost' || voidReason === 'stranger'
  return `${isLost ? 'lost' : 'void'}, ${money}`
}

const includes = (cell: string, word: string): boolean => cell === 'any' || cell.split('|').includes(word)

export const findFate = (
  known: Known | undefined,
  money: Money,
  progress: Progress,
  reading: Reading,
  conditions: Readonly<Record<Condition, boolean>>,
): Verdict => {
  const name = findCase(known, money)
  const fate = fates[name]?.find(
    ([ofProgress, ofReading, condition]) =>
      includes(ofProgress, progress) &&
      includes(ofReading, reading) &&
      (condition === '' || conditions[condition]),
  )
  if (fate === undefined) throw new Error(`no row for an order that is ${name}, ${progress}, ${reading}`)
  const [, , , says, wait, shown, confirmed, final, next] = fate
  return { says, wait, exits: { shown, confirmed, final }, next }
}
