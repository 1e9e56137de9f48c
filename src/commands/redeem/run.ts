// The steps of `orderctl redeem`: options → destination → order → its cards → shown, drawn, copied to the clipboard or exported.

import {
  copyToFirst,
  type NumberedCard,
  reasonOf,
  requireClipboards,
  selectByNumber,
} from '../../app/clipboard.ts'
import { findOrder, requireOrder } from '../../app/find-orders.ts'
import { type CommandSession, openSession } from '../../app/open-session.ts'
import { codesOf, type Output, outputFor, revealOrders, warnOfOrder } from '../../app/output/output.ts'
import { describeRead, findSuggestion, listNumbered, recordNumbers } from '../../app/output/show-order.ts'
import { type ExportFile, stageFile } from '../../app/staged-file.ts'
import { canPrompt, writeNote, writeProse } from '../../app/terminal.ts'
import type { Context } from '../../context.ts'
import type { Card } from '../../contract/order/redeem-cards.ts'
import type { Order } from '../../contract/schemas.ts'
import { hideHash } from '../../contract/states.ts'
import { formatSafeTime } from '../../contract/time.ts'
import { exitCodes, Failure, type Fix, interruption } from '../../errors.ts'
import type { Access } from '../../journal/access.ts'
import { getBatch } from '../../journal/batches/batches.ts'
import { listSlotCards } from '../../journal/batches/slots.ts'
import type { Entry } from '../../journal/orders/entries.ts'
import type { Reveal } from '../../journal/orders/seen-cards.ts'
import type { CardOfOrder } from '../../operations/identify-cards.ts'
import { type ReadOrder, readOrder } from '../../operations/read.ts'
import type { Money } from '../../operations/view.ts'
import { hasCodes } from '../../operations/view.ts'
import { describeNumbers, formatValue, type OwnedCard } from '../../ui/cards/card-fields.ts'
import {
  type CardOrder,
  readIssuerTexts,
  renderCards,
  renderInstructions,
  renderShortfalls,
  scannable,
} from '../../ui/cards/cards.ts'
import { exportOrder, loadFormat } from '../../ui/cards/export.ts'
import { maskCode, maskLink, maskResponse } from '../../ui/masking/mask-response.ts'
import { redeemedFields } from '../../ui/screens/orders.ts'
import { findShownWord, findViewStyle, hasDelivered, type Suggestion } from '../../ui/screens/state.ts'
import { sanitize } from '../../ui/terminal/text.ts'
import { themeFor, type View, viewOf } from '../../ui/terminal/view.ts'
import { describeExport } from '../../ui/text/formats.ts'
import { listNames, pick, readFields } from '../../ui/text/result-fields.ts'
import { type RedeemOptions, type ValueKind, valueKinds } from './spec.ts'

/** Returns the exit code. */
export const redeem = async (context: Context, options: RedeemOptions): Promise<number> => {
  requireOrder(context, 'redeem', options.order !== undefined, options)
  await using cleanup = new AsyncDisposableStack()
  // Fails before any call if the file or the clipboard cannot be used.
  let deliver: Deliver = options.qr ? drawCards : printCards
  if (options.export !== undefined) deliver = exportTo(context, options.export, options, cleanup)
  else if (options.copy) deliver = copyTo(context, cleanup)
  await using session = await openSession(context, options)
  const read = await readOrder(session, await findOrder(session, 'redeem', options.order))
  const seen = await recordNumbers(session, read, options.card)
  const { data: whole, view } = seen
  const order = selectSkus(whole, options.sku)
  const all = await listOwned(session, seen)
  const cards = all.filter(({ sku }) => order.redeem?.has(sku))
  // Before a confirm, a link or an empty card is a template.
  if (cards.length === 0 || (view.money !== 'spent' && !hasCodes(order)))
    throw createNoCardsFailure({ ...seen, data: order }, await findSuggestion(session, seen))
  const chosen = selectByNumber(cards, options.card, order.uid)
  await deliver({
    session,
    options,
    order: { ...order, cards, cardCount: all.length },
    seen,
    chosen,
    view: viewOf(context, session.serviceNow()),
    output: outputFor(context, options, { session }),
  })
  const owned = chosen.filter(({ card }) => card.row !== undefined)
  // Only these show no rows.
  if (owned.length > 0 && (options.only !== undefined || options.qr || options.copy))
    writeNote(
      context,
      `Rows of a batch already use ${describeNumbers(owned)}. Do not hand out a card twice.\n`,
    )
  const hasDuplicates = warnOfOrder(session, { data: order, view })
  const missing = view.shortfalls.filter(({ sku }) => order.products.has(sku))
  writeNote(context, renderShortfalls(missing, themeFor(context.stderr)))
  return hasDuplicates || missing.length > 0 ? exitCodes.partial.code : exitCodes.ok.code
}

/** All cards of the order. Those that belong to a row of its batch say to which. */
const listOwned = async (session: CommandSession, seen: ReadOrder) => {
  const { known, cards = [] } = seen
  const all = listNumbered(seen)
  const entry = known?.entry
  if (entry?.batch === undefined) return all
  let rows: readonly (string | undefined)[] = []
  await session.journals.attempt('the rows of the cards were not read', async ({ read }) => {
    rows = await nameRows(read, entry, cards)
  })
  return all.map((card, index) => ({ ...card, row: rows[index] }))
}

type CardOutput = {
  readonly session: CommandSession
  readonly options: RedeemOptions
  /** Only with the SKUs that were chosen. */
  readonly order: Order & CardOrder
  /** With every SKU. */
  readonly seen: ReadOrder
  /** The cards that --card selects, or all of them. */
  readonly chosen: readonly NumberedCard[]
  readonly view: View
  readonly output: Output
}

type Deliver = (delivery: CardOutput) => Promise<void>

/** Records that the codes of these cards leave orderctl, and then shows them. */
const revealCards = <Result>(
  { session, order: { uid: orderId } }: CardOutput,
  how: Reveal['how'],
  cards: readonly Card[],
  show: () => Result,
): Promise<Awaited<Result>> =>
  revealOrders(session, { orders: [{ orderId, skus: skusOf(cards) }], how }, show)

/** Keeps only these SKUs; without any, all. Throws if one was not ordered. */
const selectSkus = (order: Order, skus: readonly string[]): Order => {
  if (skus.length === 0) return order
  const unknown = skus.filter((sku) => !order.products.has(sku))
  if (unknown.length > 0) {
    throw new Failure('usage', `the order does not contain ${unknown.map(sanitize).join(', ')}`, {
      field: '--sku',
      orderId: order.uid,
      advice: `Use a SKU of the order: ${[...order.products.keys()].map(sanitize).join(', ')}`,
    })
  }
  const only = <Value>(map: ReadonlyMap<string, Value>) =>
    new Map([...map].filter(([sku]) => skus.includes(sku)))
  return { ...order, products: only(order.products), redeem: only(order.redeem ?? new Map()) }
}

const noCardsYet = {
  unspent: 'no-cards',
  'not-confirmed-so-far': 'no-cards',
  maybe: 'unproven',
  spent: 'timed-out',
} as const satisfies Record<Money, Failure['reason']>

/** `next`: what to do about an order that is not final. */
const createNoCardsFailure = (
  { data: { uid, state, redeem }, view }: ReadOrder,
  { command, advice }: Suggestion,
): Failure => {
  const fail = (kind: Failure['kind'], message: string, fix: Fix, retryable = false): Failure =>
    new Failure(kind, message, { orderId: uid, fix, retryable })
  const explain: Fix = (suggest) => suggest`explain ${uid}`
  if (!view.isFinal) {
    const isExpired = view.exits.confirmed === 'expired'
    const shown = sanitize(hideHash(findShownWord(state, view)))
    const word = isExpired ? (view.voidReason ?? 'expired') : shown
    const problem = `the order has no cards${isExpired ? '' : ' yet'}. It is ${word}: ${findViewStyle(view).meaning}`
    return new Failure(isExpired ? 'expired' : noCardsYet[view.money], problem, {
      orderId: uid,
      safeFrom: formatSafeTime(view.provenAt),
      fix: () => command,
      advice,
      retryable: view.money === 'spent',
    })
  }
  if (!hasDelivered(view))
    return fail('failed', `the order has no cards, because its final state is ${view.progress}`, explain)
  const isDeleted = view.vanished > 0
  const hasTexts = readIssuerTexts(redeem).length > 0
  if (isDeleted || (!hasTexts && maskResponse({ uid, redeem }).hidden === undefined)) {
    const problem = isDeleted
      ? 'the service does not show the cards any more that it delivered'
      : 'the order has no cards for these products'
    // The missing cards of a successful order may still come.
    return fail('partial', problem, explain, !isDeleted && view.progress === 'incomplete')
  }
  const problem = hasTexts
    ? "the order has no cards, but the issuer's texts may contain the codes"
    : 'the redeem data is in an undocumented form, so it cannot be shown as cards'
  return fail('partial', problem, (suggest) => suggest`get ${uid} --json --fields service.redeem --reveal`)
}

const createMissingValueFailure = ({ chosen, options, order }: CardOutput, what: string): Failure => {
  const existing = valueKinds.filter((kind) => chosen.some(({ card }) => card[kind] !== undefined))
  const subject = options.card === undefined ? 'the cards have' : `card ${options.card} has`
  return new Failure('usage', `${subject} no ${what}`, {
    field: '--only',
    orderId: order.uid,
    advice: `Use one of these: ${existing.join(', ')}`,
  })
}

export const maskValue = (kind: ValueKind, value: string): string =>
  kind === 'link' ? maskLink(value) : maskCode(value)

const skusOf = (cards: readonly Card[]): string[] => [...new Set(cards.map(({ sku }) => sku))]

/** Prints the cards as a table, as JSON, or as bare values for scripts. */
const printCards: Deliver = async (delivery) => {
  const { session, seen, view, output } = delivery
  const { stdout } = session.context
  const { only, card: number, reveal: isRevealed } = delivery.options
  const cards = delivery.chosen.map(({ card }) => card)
  const order = number === undefined ? delivery.order : selectSkus(delivery.order, skusOf(cards))
  if (only !== undefined) {
    const text = formatValues(delivery, only)
    if (isRevealed) await revealCards(delivery, 'reveal', cards, () => stdout.write(text))
    else stdout.write(text)
  } else {
    await output.print({
      names: listNames(redeemedFields),
      data: (isRevealed) => readCardsJson(session, seen, { order, cards, isRevealed }),
      codes: codesOf(order),
      screen: (isRevealed) => {
        const table = renderCards(cards, isRevealed, view)
        const instructions = renderInstructions(order.redeem, isRevealed, view, seen.data.redeem)
        return [table, instructions].filter((part) => part !== '').join('\n')
      },
    })
  }
  if (!isRevealed) writeNote(session.context, 'Codes are hidden. Show them with --reveal.\n')
}

type CardsJson = {
  readonly order: Pick<Order, 'redeem'>
  readonly cards: readonly OwnedCard[]
  readonly isRevealed: boolean
}

/** Of the response, only the redeem data. */
const readCardsJson = async (
  session: CommandSession,
  seen: ReadOrder,
  { order: { redeem }, cards, isRevealed }: CardsJson,
) => readFields(redeemedFields, await describeRead(session, seen, { isRevealed, cards, service: { redeem } }))

/** One value per line. Control characters are escaped, because a code never has any. */
const formatValues = (delivery: CardOutput, kind: ValueKind): string => {
  const values = delivery.chosen.flatMap(({ card }) => card[kind] ?? [])
  if (values.length === 0) throw createMissingValueFailure(delivery, kind)
  return values
    .map((value) => `${delivery.options.reveal ? sanitize(value) : maskValue(kind, value)}\n`)
    .join('')
}

const drawCards: Deliver = async (delivery) => {
  const { session, options, order, chosen, view } = delivery
  const { stdout, stderr } = session.context
  const { renderQr } = await import('../../ui/cards/qr.ts')
  const cards = chosen.map(({ number, card }) => ({
    card,
    title: `${number}  ${sanitize(card.sku)}  ${sanitize(formatValue(card))}`.trimEnd(),
    value: options.only === undefined ? scannable(card) : card[options.only],
  }))
  const drawn = cards.flatMap(({ value, ...card }) =>
    value === undefined ? [] : [{ ...card, drawing: renderQr(value, stdout.colour) }],
  )
  if (drawn.length === 0) throw createMissingValueFailure(delivery, options.only ?? 'link, code or PIN')
  const problems = drawn.flatMap(({ title, drawing }) => {
    if (drawing === undefined) return `${title}: too long for a QR code, or not valid text`
    if (drawing.width <= view.width) return []
    return `${title}: needs ${drawing.width} columns, but the terminal has ${view.width}`
  })
  if (problems.length > 0) {
    throw new Failure('usage', `cannot draw ${problems.length} of ${drawn.length} QR codes`, {
      field: '--qr',
      orderId: order.uid,
      violations: problems,
      fix: (suggest) => suggest`redeem ${order.uid} --export cards.html`,
      advice: 'You can also use a wider window.',
    })
  }
  const texts = drawn.map(({ title, drawing }) => `${view.theme.strong(title)}\n${drawing?.text ?? ''}`)
  const shown = drawn.map(({ card }) => card)
  await revealCards(delivery, 'qr', shown, () => stdout.write(texts.join('\n')))
  for (const { title, value } of cards) {
    if (value === undefined) stderr.write(`Nothing to draw for card ${title}\n`)
  }
}

/** With --export. */
export const writtenFields = pick((exported: { file: string; cardCount: number }) => exported, {
  file: ['text', 'the file'],
  cardCount: ['count', 'the number of its cards'],
})

/** Fails before any call if the file cannot be written. An incomplete file is removed at the end. */
const exportTo = (
  context: Context,
  { name, ending }: ExportFile,
  { force }: RedeemOptions,
  cleanup: AsyncDisposableStack,
): Deliver => {
  const file = stageFile(context, name, { field: '--export', force })
  cleanup.defer(file.discard)
  return async ({ session, order, chosen, view, output }) => {
    const { render } = await loadFormat(ending)
    const parts = render(exportOrder(order), view)
    await revealOrders(session, { orders: [codesOf(order)], how: 'export' }, () => file.keep(parts))
    const data = () => readFields(writtenFields, { file: name, cardCount: chosen.length })
    await output.print({ data, screen: () => '' })
    writeNote(session.context, describeExport(chosen.length, name, session.context.platform))
  }
}

const names = { pin: 'PIN', code: 'code', link: 'link', serial: 'serial number' } as const
const keptMs = 45_000

const copyTo = (context: Context, cleanup: AsyncDisposableStack): Deliver => {
  const clipboards = requireClipboards(context)
  const { stderr, clock, interrupted } = context
  return async (delivery) => {
    const { value, kind, card, number } = await chooseValue(context, delivery)
    const { uid } = delivery.order
    const clipboard = await revealCards(delivery, 'copy', [card], () =>
      copyToFirst(clipboards, value, { orderId: uid, fix: (suggest) => suggest`redeem ${uid} --reveal` }),
    )
    const shown = `${sanitize(card.sku)} (${sanitize(maskValue(kind, value))})`
    writeProse(
      context,
      `Copied with ${clipboard.name}: the ${names[kind]} of card ${number}, ${shown}. ` +
        `orderctl clears it in ${keptMs / 1000} s, or at once if you press Ctrl-C.\n`,
    )
    // Runs after all calls.
    cleanup.defer(async () => {
      await clock.sleep(keptMs, interrupted)
      try {
        const isCleared = await clipboard.clear(value)
        const kept = 'The clipboard holds something else now, so orderctl left it alone.'
        writeProse(context, `${isCleared ? 'The clipboard is cleared.' : kept}\n`)
      } catch (error) {
        stderr.warn(`the clipboard was not cleared and may still hold the value: ${reasonOf(error)}`)
      }
    })
  }
}

type Choice = NumberedCard & { readonly value: string; readonly kind: ValueKind }

/**
 * If several different values match, asks on a terminal. Otherwise throws, and names the flags for each. Cards may
 * share one link.
 */
const chooseValue = async (context: Context, delivery: CardOutput): Promise<Choice> => {
  const { options, chosen, order } = delivery
  const choices = chosen.flatMap(({ card, number }) =>
    valueKinds
      .filter((kind) => options.only === undefined || options.only === kind)
      .flatMap((kind): Choice[] => {
        const value = card[kind]
        return value === undefined ? [] : [{ value, kind, card, number }]
      }),
  )
  const [first] = choices
  if (first === undefined) throw createMissingValueFailure(delivery, options.only ?? 'value')
  if (new Set(choices.map(({ value }) => value)).size === 1) return first
  if (canPrompt(context, options)) return askForValue(context, order.uid, choices)
  const isOneCard = new Set(choices.map(({ number }) => number)).size === 1
  throw new Failure('usage', `--copy needs one value, but ${choices.length} match`, {
    field: isOneCard ? '--only' : '--card',
    orderId: order.uid,
    violations: choices.map(
      ({ kind, card, number }) => `${sanitize(card.sku)}: --only ${kind} --card ${number}`,
    ),
    advice: 'Narrow it with --sku, --only or --card.',
  })
}

/** The values are masked. */
const askForValue = async (context: Context, orderId: string, choices: Choice[]): Promise<Choice> => {
  const distinct = choices.filter((each, at) => choices.findIndex(({ value }) => value === each.value) === at)
  const byName = new Map<string, Choice>(
    distinct.map((choice) => [`card ${choice.number}, ${names[choice.kind]}`, choice]),
  )
  const ask = await context.asking()
  const chosen = await ask.text({
    message: 'Value to copy',
    choices: [...byName].map(([name, { kind, value, card }]) => ({
      value: name,
      name: `${name}  ${sanitize(card.sku)}  ${sanitize(maskValue(kind, value))}`,
    })),
    check: (text) => (byName.has(text) ? undefined : 'not in the list'),
  })
  const found = chosen === undefined ? undefined : byName.get(chosen)
  if (found !== undefined) return found
  throw interruption(context.interrupted, 'cancelled; nothing was copied', { orderId })
}

/** For each card of an order, the row of its batch that has it. */
const nameRows = async (
  access: Access,
  { batch = 0, slot = 0 }: Pick<Entry, 'batch' | 'slot'>,
  cards: readonly CardOfOrder[],
): Promise<readonly (string | undefined)[]> => {
  const [{ name = '' } = {}, wanted] = await Promise.all([
    getBatch(access, batch),
    listSlotCards(access, batch, slot),
  ])
  return cards.map(({ hashes }) => {
    // A second card with the code of a row's card has this row, too.
    const found = wanted.find(({ hash }) => hash !== undefined && hashes.includes(hash))
    return found && `${name}, ${found.line > 0 ? `line ${found.line}` : `row ${found.row + 1}`}`
  })
}
