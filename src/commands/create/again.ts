// create --again: orders the products of an earlier order once more, or only those that it did not deliver.
import type { Context } from '../../context.ts'
import { formatDecimal } from '../../contract/decimal.ts'
import type { OrderRequest } from '../../contract/order-request.ts'
import { findShortfalls } from '../../contract/redeem-cards.ts'
import type { Order } from '../../contract/schemas.ts'
import { isFinal, isPastPending } from '../../contract/states.ts'
import { Failure } from '../../errors.ts'
import type { Journal } from '../../journal/journal.ts'
import { isUnproven } from '../../journal/orders/entry.ts'
import { readRequestedProducts } from '../../operations/compare.ts'
import { readOrder } from '../../operations/read.ts'
import { createTwinFailure } from '../../operations/resume.ts'
import type { ProductInput } from '../../text/product-flag.ts'
import { sanitize } from '../../ui/terminal/sanitize.ts'
import { renderFields } from '../../ui/text/fields.ts'
import { renderTableOf, right } from '../../ui/text/table.ts'
import { writeNote } from '../shared/notes.ts'
import { findIdToSpend } from '../shared/order-ids.ts'
import { viewOf } from '../shared/output/view-of.ts'
import type { CommandSession } from '../shared/session.ts'
import { completeDraft, partsOf, readCheckedList } from './draft.ts'
import { toProductInput } from './order-file.ts'
import type { Submission } from './place-order.ts'
import type { CreateOptions } from './spec.ts'

/** Reads the earlier order from the journal, or from the service. Flags override its wallet. */
export const readAgain = async (
  session: CommandSession,
  text: string,
  options: CreateOptions,
): Promise<Submission> => {
  const { profile, missing: onlyMissing, allowDuplicate } = options
  const { context, account, journals, owner } = session
  const orderId = await findIdToSpend(session, profile, {
    write: (suggest, id) => suggest`create ${{ again: id, missing: onlyMissing }}`,
    text,
  })
  const journal = await journals.openToRead()
  let entry = await journal?.findOrder(owner, orderId)
  let products = (entry && readRequestedProducts(entry)?.map(toProductInput)) ?? []
  let shown: Order | undefined
  if (onlyMissing || products.length === 0) {
    shown = (await readOrder(session, orderId)).data
    products = listProducts(shown, products)
    // Reading the order may have updated its entry and settled its confirm.
    entry = await journal?.findOrder(owner, orderId)
  }
  const calls = (entry && (await journal?.listCalls(entry.number))) ?? []
  const mayHaveSpent = calls.some(isUnproven)
  if (onlyMissing && shown !== undefined) {
    if (entry?.batch !== undefined) throw await createOfBatchFailure(journal, orderId, entry.batch)
    if (!isFinal(shown.state)) throw createUnfinishedFailure(shown, mayHaveSpent)
    products = selectMissing(shown, products)
  }
  if (mayHaveSpent && entry !== undefined && !allowDuplicate) throw createTwinFailure(entry)
  const parts = partsOf(options)
  const earlier = entry?.reference ?? shown?.reference
  // The reference is always the same, so that a second run does not buy the missing cards twice.
  const missingReference = onlyMissing && earlier !== undefined ? `${earlier}-missing` : undefined
  const list = await readCheckedList(context, account, !options.idempotent)
  const order = completeDraft(context, {
    parts: {
      ...parts,
      productList: products,
      wallet: parts.wallet ?? entry?.wallet ?? shown?.invoice.wallet,
      reference: parts.reference ?? missingReference,
    },
    list,
  })
  const title = onlyMissing
    ? `Products that the order ${sanitize(orderId)} did not deliver:`
    : `Products of the order ${sanitize(orderId)}:`
  const review = (): void => printReview(context, title, order.request)
  return { ...order, options, account, list, review }
}

const listProducts = ({ products }: Order, stored: readonly ProductInput[]): ProductInput[] =>
  [...products].map(([sku, { request, shopItem }]) => {
    const type = stored.find((product) => product.sku === sku)?.type
    return toProductInput({ ...request, sku, productType: type ?? shopItem.productType })
  })

const selectMissing = (order: Order, products: readonly ProductInput[]): ProductInput[] => {
  const shortfalls = findShortfalls(order)
  if (shortfalls.length === 0) {
    throw new Failure('usage', `the order ${order.uid} delivered all its cards; nothing was sent`, {
      field: '--missing',
      orderId: order.uid,
      fix: 'To order all its products again, omit --missing.',
    })
  }
  return products.flatMap((product) => {
    const short = shortfalls.find(({ sku }) => sku === product.sku)
    return short === undefined ? [] : [{ ...product, quantity: String(short.ordered - short.received) }]
  })
}

/** A batch buys its failed cards itself, and would buy them a second time. */
const createOfBatchFailure = async (journal: Journal | undefined, orderId: string, number: number) => {
  const { openBatches } = await import('../../journal/batches/batches.ts')
  const name = (journal && (await openBatches(journal).getBatch(number)))?.name ?? ''
  return new Failure('usage', `the order ${orderId} belongs to the batch ${name}; nothing was sent`, {
    field: '--missing',
    orderId,
    fix: (suggest) => `Buy the failed cards of the batch again: ${suggest`batch run ${name} --retry-failed`}`,
  })
}

/** The rest of an order may still be delivered. */
const createUnfinishedFailure = ({ uid, state }: Order, mayHaveSpent: boolean): Failure =>
  new Failure('refused', `the order ${uid} is not final (${state}); nothing was sent`, {
    orderId: uid,
    fix: (suggest) => {
      if (mayHaveSpent) return `Its confirm may have spent money. Check it: ${suggest`reconcile ${uid}`}`
      if (isPastPending(state)) return `Wait for it: ${suggest`watch ${uid}`}`
      return `Confirm it: ${suggest`confirm ${uid}`}. To order all its products again, omit --missing.`
    },
  })

/** Shows the products before they are ordered again. */
const printReview = (context: Context, title: string, request: OrderRequest): void => {
  const view = viewOf(context, context.clock.now(), context.stderr)
  const table = renderTableOf(
    [
      ['SKU', ({ sku }) => sku, { narrow: 'wrap' }],
      ['TYPE', ({ productType }) => productType, { narrow: 'wrap' }],
      ['EACH', ({ quote }) => formatDecimal(quote), right],
      ['ORDERED', ({ quantity }) => String(quantity), right],
    ],
    request.productList,
    view,
  )
  const fields = renderFields(
    [
      ['Wallet', sanitize(request.wallet)],
      ['Reference', sanitize(request.reference)],
    ],
    view,
  )
  writeNote(context, `${title}\n\n${table}\n${fields}\n`)
}
