// create --again: orders the products of an earlier order once more, or only those that it did not deliver.
import type { Context } from '../../context.ts'
import { formatDecimal } from '../../contract/decimal.ts'
import type { OrderRequest } from '../../contract/order-request.ts'
import { findShortfalls } from '../../contract/redeem-cards.ts'
import type { Order } from '../../contract/schemas.ts'
import { isFinal, isPastPending } from '../../contract/states.ts'
import { Failure } from '../../errors.ts'
import { type Entry, isUnproven } from '../../journal/entry.ts'
import { readRequestedProducts } from '../../operations/compare.ts'
import { findOrder } from '../../operations/find-order.ts'
import { readOrder } from '../../operations/read.ts'
import { withFacts } from '../../operations/record.ts'
import { createTwinFailure } from '../../operations/resume.ts'
import type { Account } from '../../profiles/account.ts'
import type { ProductInput } from '../../text/product-flag.ts'
import { sanitize } from '../../ui/terminal/sanitize.ts'
import { renderFields } from '../../ui/text/fields.ts'
import { renderTable } from '../../ui/text/table.ts'
import { writeNote } from '../shared/notes.ts'
import { findIdToSpend } from '../shared/order-ids.ts'
import { viewOf } from '../shared/output/view-of.ts'
import { type CommandSession, openSession } from '../shared/session.ts'
import { completeDraft, readCheckedList } from './draft.ts'
import { partsOf } from './order-file.ts'
import type { Handover, Submission } from './place-order.ts'
import type { CreateOptions } from './spec.ts'

type Submit = (
  context: Context,
  submission: Submission,
  session: CommandSession,
) => Promise<number | Handover>

export const submitAgain = async (
  context: Context,
  account: Account,
  options: CreateOptions,
  submit: Submit,
): Promise<number | Handover> => {
  const failed = 'no create was sent'
  const session = await withFacts(failed, () => openSession(context, options, account))
  try {
    const submission = await withFacts(failed, () => readAgain(context, session, options))
    return await submit(context, submission, session)
  } finally {
    await session.close()
  }
}

/** Reads the earlier order from the journal, or from the service. Flags override its wallet. */
const readAgain = async (
  context: Context,
  session: CommandSession,
  options: CreateOptions,
): Promise<Submission> => {
  const { again: text = '', profile, missing: onlyMissing, allowDuplicate } = options
  const parts = partsOf(options)
  const orderId = await findIdToSpend(context, session, {
    write: (suggest, id) => suggest`create ${{ again: id, missing: onlyMissing }}`,
    text,
    find: findOrder,
    isProfileNamed: profile !== undefined,
  })
  const earlierEntry = await findEntry(session, orderId)
  const stored = readStored(earlierEntry)
  const shown = onlyMissing || stored === undefined ? (await readOrder(session, orderId)).data : undefined
  // Reading the order may have updated its entry and settled its confirm.
  const entry = shown === undefined ? earlierEntry : await findEntry(session, orderId)
  const mayHaveSpent = entry !== undefined && (await hasUnprovenCall(session, entry))
  if (onlyMissing && entry?.batch !== undefined) throw await createOfBatchFailure(session, entry)
  if (onlyMissing && shown !== undefined) refuseUnfinished(shown, mayHaveSpent)
  if (mayHaveSpent && entry !== undefined && !allowDuplicate) throw createTwinFailure(entry)
  const products = shown === undefined ? (stored ?? []) : listProducts(shown, stored)
  const productList = onlyMissing && shown !== undefined ? selectMissing(shown, products) : products
  const earlier = entry?.reference ?? shown?.reference
  // The reference is always the same, so that a second run does not buy the missing cards twice.
  const missingReference = onlyMissing && earlier !== undefined ? `${earlier}-missing` : undefined
  const reference = parts.reference ?? missingReference
  const wallet = parts.wallet ?? entry?.wallet ?? shown?.invoice.wallet
  const list = await readCheckedList(context, session.account, options)
  const order = completeDraft(context, {
    parts: { ...parts, productList, wallet, reference },
    document: undefined,
    defaultWallet: undefined,
    list,
    options: { profile, maxTotal: undefined },
  })
  const title = formatTitle(orderId, onlyMissing)
  const review = (request: OrderRequest): void => printReview(context, title, request)
  return { options, account: session.account, order, list, review }
}

const findEntry = async ({ journals, owner }: CommandSession, orderId: string): Promise<Entry | undefined> =>
  (await journals.openToRead())?.findOrder(owner, orderId)

const hasUnprovenCall = async ({ journals }: CommandSession, { number }: Entry): Promise<boolean> =>
  ((await (await journals.openToRead())?.listCalls(number)) ?? []).some(isUnproven)

const readStored = (entry: Entry | undefined): ProductInput[] | undefined =>
  (entry && readRequestedProducts(entry))?.map(({ sku, productType, quote, quantity }) => ({
    sku,
    quote: formatDecimal(quote),
    quantity: String(quantity),
    type: productType,
  }))

const listProducts = ({ products }: Order, stored: readonly ProductInput[] = []): ProductInput[] =>
  [...products].map(([sku, { request, shopItem }]) => ({
    sku,
    quote: formatDecimal(request.quote),
    quantity: String(request.quantity),
    type: stored.find((product) => product.sku === sku)?.type ?? shopItem.productType,
  }))

const selectMissing = (order: Order, products: readonly ProductInput[]): ProductInput[] => {
  const missing = new Map(
    findShortfalls(order).map(({ sku, ordered, received }) => [sku, ordered - received]),
  )
  if (missing.size === 0) {
    throw new Failure('usage', `the order ${order.uid} delivered all its cards; nothing was sent`, {
      field: '--missing',
      orderId: order.uid,
      fix: 'To order all its products again, omit --missing.',
    })
  }
  return products.flatMap((product) => {
    const quantity = missing.get(product.sku)
    return quantity === undefined ? [] : [{ ...product, quantity: String(quantity) }]
  })
}

/** A batch buys its failed cards itself, and would buy them a second time. */
const createOfBatchFailure = async (
  { journals }: CommandSession,
  { orderId, batch: number = 0 }: Entry,
): Promise<Failure> => {
  const { openBatches } = await import('../../journal/batches/batches.ts')
  const journal = await journals.openToRead()
  const batch = journal && (await openBatches(journal).getBatch(number))
  const name = batch?.name ?? ''
  return new Failure('usage', `the order ${orderId} belongs to the batch ${name}; nothing was sent`, {
    field: '--missing',
    orderId,
    fix: (suggest) => `Buy the failed cards of the batch again: ${suggest`batch run ${name} --retry-failed`}`,
  })
}

/** The rest of an order may still be delivered. */
const refuseUnfinished = ({ uid, state }: Order, mayHaveSpent: boolean): void => {
  if (isFinal(state)) return
  const isConfirmed = isPastPending(state)
  throw new Failure('refused', `the order ${uid} is not final (${state}); nothing was sent`, {
    orderId: uid,
    fix: (suggest) =>
      mayHaveSpent
        ? `Its confirm may have spent money. Check it: ${suggest`reconcile ${uid}`}`
        : isConfirmed
          ? `Wait for it: ${suggest`watch ${uid}`}`
          : `Confirm it: ${suggest`confirm ${uid}`}. To order all its products again, omit --missing.`,
  })
}

const formatTitle = (orderId: string, onlyMissing: boolean): string =>
  onlyMissing
    ? `Products that the order ${sanitize(orderId)} did not deliver:`
    : `Products of the order ${sanitize(orderId)}:`

/** Shows the products before they are ordered again. */
const printReview = (
  context: Context,
  title: string,
  { productList, wallet, reference }: OrderRequest,
): void => {
  const { stderr, clock } = context
  const view = viewOf(context, clock.now(), stderr)
  const table = renderTable(
    [
      { title: 'SKU', narrow: 'wrap' },
      { title: 'TYPE', narrow: 'wrap' },
      { title: 'EACH', align: 'right' },
      { title: 'ORDERED', align: 'right' },
    ],
    productList.map(({ sku, productType, quote, quantity }) => [
      sku,
      productType,
      formatDecimal(quote),
      String(quantity),
    ]),
    view,
  )
  const fields = renderFields(
    [
      ['Wallet', sanitize(wallet)],
      ['Reference', sanitize(reference)],
    ],
    view,
  )
  writeNote(context, `${title}\n\n${table}\n${fields}\n`)
}
