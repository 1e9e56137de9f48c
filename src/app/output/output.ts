// Prints the result of a command on stdout: as JSON, as ids, or as a screen for people. Then the only functions that show
// codes, which first record who sees them, and the warnings of orders whose codes or payment are not as they should be.

import type { Context } from '../../context.ts'
import type { Order } from '../../contract/schemas.ts'
import { isObject } from '../../contract/shape.ts'
import { Failure } from '../../errors.ts'
import { getErrorReason } from '../../files.ts'
import { type Reveal, recordReveals } from '../../journal/orders/seen-cards.ts'
import { findDuplicates, recordCardsOf } from '../../operations/identify-cards.ts'
import type { ReadOrder } from '../../operations/read.ts'
import { hasCodes } from '../../operations/view.ts'
import { describeDuplicates } from '../../ui/cards/card-fields.ts'
import { orderFields } from '../../ui/screens/orders.ts'
import { describeRefuted, refutedAdvice } from '../../ui/screens/state.ts'
import { sanitize } from '../../ui/terminal/text.ts'
import { themeFor } from '../../ui/terminal/view.ts'
import type { ResultFields } from '../../ui/text/result-fields.ts'
import { type FieldPath, listNames, renderJson, requireFields } from '../../ui/text/result-fields.ts'
import type { CommandSession } from '../open-session.ts'

export type OutputOptions = {
  readonly json: boolean
  readonly quiet?: boolean
  /** With JSON: only these fields. */
  readonly fields: readonly FieldPath[] | undefined
  readonly reveal?: boolean
}

export const formatOf = ({ json, quiet }: Pick<OutputOptions, 'json' | 'quiet'>) =>
  json ? 'json' : quiet ? 'ids' : 'screen'

export type Printed = {
  /** The names of its fields, unless the service may add some. */
  readonly names?: readonly string[]
  /** The documented data, names untouched. May return a promise of it. Masks a response unless codes are revealed. */
  readonly data: (isRevealed: boolean) => unknown
  /** Those of --quiet. */
  readonly ids?: readonly string[]
  /** The codes that the result holds. Without them, none is revealed. */
  readonly codes?: ShownCodes
  /** Loads its modules when it is called. */
  readonly screen: (isRevealed: boolean) => string | Promise<string>
  /** Adds warnings to its JSON, or prints them below the result. */
  readonly warn?: () => unknown
}

/** Of a response: documented fields that hold no code. An undocumented field may repeat one. */
const fieldsWithoutCodes = new Set<PropertyKey>([
  ...['uid', 'state', 'reference', 'invoice', 'exchangeRates', 'createdDate', 'modifiedDate'],
])

const mayHoldCodes = ([first, second = '']: FieldPath): boolean =>
  first === 'cards' || (first === 'service' && !fieldsWithoutCodes.has(second))

export type Output = ReturnType<typeof outputFor>

/**
 * Codes are revealed only with a session. `isPlaced` says that the order exists. Then a missing field is no error: the
 * whole order is printed.
 */
export const outputFor = (
  context: Context,
  options: OutputOptions,
  { session, isPlaced = false }: { readonly session?: CommandSession; readonly isPlaced?: boolean } = {},
) => {
  const { stdout, stderr } = context
  const { fields, reveal: isAskedFor = false } = options
  const format = formatOf(options)
  const mayShowCodes = format !== 'ids' && (fields === undefined || fields.some(mayHoldCodes))

  const formatJson = async (
    { names, data, warn }: Printed,
    isRevealed: boolean,
    oneLine: boolean,
  ): Promise<string> => {
    // A placed order is printed, whatever --fields says.
    if (names !== undefined && fields !== undefined && !isPlaced) requireFields(names, fields)
    const value = await data(isRevealed)
    warn?.()
    try {
      // A list, or a choice of fields, has no place for them. Then `run` prints them.
      const mayWarn = fields === undefined && isObject(value) && !(value instanceof Map)
      const warnings = mayWarn ? stderr.warnings?.splice(0) : undefined
      const shown = warnings?.length ? { ...(value as object), warnings } : value
      return renderJson(shown, { oneLine, fields })
    } catch (error) {
      if (!isPlaced || !(error instanceof Failure)) throw error
      stderr.warn(`${error.message}; printing the whole order`)
      return renderJson(value, { oneLine })
    }
  }

  const write = async (result: Printed, isRevealed: boolean, oneLine: boolean): Promise<void> => {
    if (format === 'json') return void stdout.write(await formatJson(result, isRevealed, oneLine))
    if (format === 'ids') stdout.write((result.ids ?? []).map((id) => `${sanitize(id)}\n`).join(''))
    else stdout.write(await result.screen(isRevealed))
    result.warn?.()
  }

  /** With `oneLine`, its JSON takes one line: it is one result of several. */
  const print = async (result: Printed, oneLine = false): Promise<void> => {
    if (!isAskedFor || !mayShowCodes || result.codes === undefined || session === undefined)
      return write(result, false, oneLine)
    const revealed = { orders: [result.codes], how: 'reveal' } as const
    await revealOrders(session, revealed, () => write(result, true, oneLine))
  }

  return { print }
}

/** Throws if the result cannot be written in full. The message says what happened to the order. */
export const ensureDelivered = async (
  { stdout }: Pick<Context, 'stdout'>,
  facts: string,
  orderId: string,
): Promise<void> => {
  try {
    await stdout.flushed()
  } catch (error) {
    throw new Failure(
      'output-lost',
      `${facts}; the result could not be written in full: ${getErrorReason(error)}`,
      { orderId, fix: (suggest) => suggest`get ${orderId}`, cause: error },
    )
  }
}

/** The codes that are shown: those of these SKUs in this order. */
export type ShownCodes = {
  readonly orderId: string
  readonly skus: readonly string[]
}

export const codesOf = ({ uid, redeem }: Pick<Order, 'uid' | 'redeem'>): ShownCodes => ({
  orderId: uid,
  skus: [...(redeem ?? new Map()).keys()],
})

/**
 * Records that codes leave orderctl, and then shows them. Throws if nobody could know about it later. The journal never
 * gets the codes.
 */
export const revealOrders = async <Result>(
  { context, journals, owner, clock, seenCards: { duplicates, unrecorded } }: CommandSession,
  { orders, how }: { readonly orders: readonly ShownCodes[] } & Pick<Reveal, 'how'>,
  show: () => Result,
): Promise<Awaited<Result>> => {
  const shown = orders.filter(({ skus }) => skus.length > 0)
  if (shown.length > 0) {
    const { profile, origin } = owner
    const common = { profile, origin, at: clock.now(), who: context.user(), how }
    const reveals = shown.map(({ orderId, skus }) => ({ ...common, orderId, skus }))
    try {
      const journal = await journals.openOrCreate()
      for (const { orderId } of shown) {
        const order = unrecorded.get(orderId)
        if (order === undefined) continue
        const found = findDuplicates(orderId, await recordCardsOf({ journal, owner }, order))
        if (found.length > 0) duplicates.set(orderId, found)
      }
      await recordReveals(journal, reveals)
    } catch (error) {
      throw error instanceof Failure ? createRefusal(error, reveals) : error
    }
  }
  return await show()
}

const createRefusal = (error: Failure, [first]: readonly Reveal[]): Failure => {
  const { fix, advice, retryable } = error.details
  const problem = `no code was shown, because it cannot be recorded who sees it: ${error.message}`
  return new Failure('local-state', problem, {
    fix,
    advice,
    retryable,
    orderId: first?.orderId,
    cause: error,
  })
}

/** Warns of orders that are paid although a person settled them as not spent. */
export const warnOfRefuted = ({ stderr }: Pick<Context, 'stderr'>, orderIds: readonly string[]): void => {
  const problem = describeRefuted(orderIds)
  if (problem !== undefined) stderr.warn(`${problem}. ${refutedAdvice}`)
}

/**
 * Warns of what is wrong with an order and its cards. Returns whether it has duplicates. Codes prove no payment before a
 * confirm, or while the service shows the order unconfirmed.
 */
export const warnOfOrder = (
  session: CommandSession,
  { data, view }: Pick<ReadOrder, 'data' | 'view'>,
): boolean => {
  if (view.decision === 'refuted') warnOfRefuted(session.context, [data.uid])
  if (view.money !== 'spent' && hasCodes(data))
    session.context.stderr.warn(
      `the order ${sanitize(data.uid)} has codes, but is not known to be confirmed. The codes may not work yet`,
    )
  return warnOfDuplicates(session, data)
}

/** Warns of the duplicates among these cards of the order. Returns whether there are any. */
const warnOfDuplicates = (
  { context: { stderr }, seenCards: { duplicates } }: CommandSession,
  { uid, products }: Pick<Order, 'uid' | 'products'>,
): boolean => {
  const shown = (duplicates.get(uid) ?? []).filter(({ card }) => products.has(card.sku))
  for (const text of describeDuplicates(uid, shown)) stderr.warn(text)
  return shown.length > 0
}

/** Checks --fields, and loads the modules that print the outcome before money is spent, because an update may replace dist/ meanwhile. */
export const preloadOutput = async (
  { stdout, stderr }: Pick<Context, 'stdout' | 'stderr'>,
  options: OutputOptions,
  result: ResultFields<never> = orderFields,
): Promise<void> => {
  if (options.fields !== undefined) requireFields(listNames(result), options.fields)
  await import('../../ui/screens/failure.ts')
  for (const each of [stdout, stderr]) themeFor(each)
  if (formatOf(options) !== 'screen') return
  await import('../../ui/screens/order.ts')
  const { loadTable } = await import('../../ui/text/table.ts')
  loadTable()
}
