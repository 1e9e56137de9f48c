// create --again: orders the products of an earlier order once more, or only those that it did not deliver.

import { findOrder } from '../../app/find-orders.ts'
import type { CommandSession } from '../../app/open-session.ts'
import { requireConsent } from '../../app/send-order.ts'
import { mayAsk, writeNote } from '../../app/terminal.ts'
import type { Context } from '../../context.ts'
import { formatDecimal } from '../../contract/money/decimal.ts'
import type { Order } from '../../contract/schemas.ts'
import { Failure } from '../../errors.ts'
import { readRequestedProducts } from '../../operations/offer.ts'
import { type EarlierOrder, readEarlier } from '../../operations/order-again.ts'
import type { ProductInput } from '../../text/flags.ts'
import type { Suggest } from '../../text/suggest.ts'
import { sanitize } from '../../ui/terminal/text.ts'
import { viewOf } from '../../ui/terminal/view.ts'
import { renderFields, renderTableOf, right } from '../../ui/text/table.ts'
import { type CompleteOrder, completeDraft, partsOf, readCheckedList, toProductInput } from './draft.ts'
import { consentOf, mayContinueConfirmed, type Submission } from './place-order.ts'
import type { CreateOptions } from './spec.ts'

/** Reads the earlier order from the journal, or from the service. Flags override its wallet and its reference. */
export const readAgain = async (
  session: CommandSession,
  text: string,
  options: CreateOptions,
): Promise<Submission> => {
  const { missing: onlyMissing, allowDuplicate } = options
  const { context, account, journals } = session
  const write = (suggest: Suggest, id: string) => suggest`create ${{ again: id, missing: onlyMissing }}`
  const isReviewed = mayAsk(context, options) && !options.confirm
  const named = await findOrder(session, write, text, { profile: options.profile, isReviewed })
  const { orderId } = named
  const journal = await journals.openExisting()
  const wanted = { options, reference: options.reference, earlierId: orderId }
  if (!options.dryRun && !(await mayContinueConfirmed(session, journal, wanted)))
    await requireConsent(context, consentOf(wanted))
  const earlier = await readEarlier({ ...session, journal }, named, { onlyMissing, allowDuplicate })
  const { entry, shown } = earlier
  refuseUnlimited(context, earlier, options)
  const stored = (entry && readRequestedProducts(entry)?.map(toProductInput)) ?? []
  const products = shown === undefined ? stored : listProducts(shown, stored)
  const parts = partsOf(options)
  const list = await readCheckedList(context, account, !options.idempotent)
  const order = completeDraft(context, {
    parts: {
      ...parts,
      productList: onlyMissing ? selectMissing(orderId, earlier.shortfalls, products) : products,
      wallet: parts.wallet ?? entry?.wallet ?? shown?.invoice.wallet,
      reference: parts.reference ?? earlier.reference,
    },
    list,
  })
  const review = (): void => printReview(context, { orderId, earlier, onlyMissing, ...order })
  const hasOwnReference = parts.reference !== undefined || onlyMissing
  return { ...order, hasOwnReference, options, account, review, earlierId: orderId }
}

/** The assistant may have ordered more than its server lets a person confirm. */
const refuseUnlimited = (context: Context, { entry }: EarlierOrder, options: CreateOptions): void => {
  if (entry?.placedWith === undefined || entry.standing === 'confirmed') return
  if (!options.confirm || options.maxTotal !== undefined || mayAsk(context, options)) return
  const { orderId = '' } = entry
  throw new Failure('order-of-assistant', `an assistant prepared the order ${orderId}; nothing was sent`, {
    field: '--max-total',
    orderId,
    fix: (suggest) => suggest`get ${orderId}`,
    advice: 'Read the order, then set a limit for the new order with --max-total.',
  })
}

const listProducts = ({ products }: Order, stored: readonly ProductInput[]): ProductInput[] =>
  [...products].map(([sku, { request, shopItem }]) => {
    const type = stored.find((product) => product.sku === sku)?.type
    return toProductInput({ ...request, sku, productType: type ?? shopItem.productType })
  })

const selectMissing = (
  orderId: string,
  shortfalls: EarlierOrder['shortfalls'],
  products: readonly ProductInput[],
): ProductInput[] => {
  if (shortfalls.length === 0) {
    throw new Failure('usage', `the order ${orderId} delivered all its cards; nothing was sent`, {
      field: '--missing',
      orderId,
      advice: 'To order all its products again, omit --missing.',
    })
  }
  return products.flatMap((product) => {
    const short = shortfalls.find(({ sku }) => sku === product.sku)
    return short === undefined ? [] : [{ ...product, quantity: String(short.ordered - short.received) }]
  })
}

type Reviewed = { readonly orderId: string; readonly earlier: EarlierOrder; readonly onlyMissing: boolean }

/** Shows the products before they are ordered again. */
const printReview = (
  context: Context,
  { orderId, earlier, onlyMissing, request }: Reviewed & Pick<CompleteOrder, 'request'>,
): void => {
  const title = onlyMissing
    ? `Products that the order ${sanitize(orderId)} did not deliver:`
    : `Products of the order ${sanitize(orderId)}:`
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
  const isOfAssistant = earlier.entry?.placedWith !== undefined
  const origin = isOfAssistant ? 'An assistant prepared this order with orderctl mcp\n' : ''
  writeNote(context, `${title}\n\n${table}\n${fields}${origin}\n`)
}
