// Candidates from the products on sale and those that were ordered, and the wallets to pay from.
import type { ProductLine } from '../../contract/order-request.ts'
import { lastWord } from '../../contract/order-words.ts'
import { sandbox } from '../../profiles/profile.ts'
import type { PricedProduct } from '../../service/catalogue.ts'
import type { Candidate } from '../../ui/text/candidates.ts'
import { formatRelative } from '../../ui/text/time.ts'
import { isLast } from './journal-candidates.ts'
import { findOwner, type OwnerInUse, queryAccount } from './journal-reader.ts'
import { type Asked, removeRepeated, type Source } from './source.ts'

const isSandbox = (owner: OwnerInUse | undefined): boolean => owner?.profile === sandbox

const sandboxCatalogue = async () => (await import('../../service/catalogue.ts')).builtInCatalogue()

/** The products of the sandbox's catalogue, or of the profile's product file. A file that cannot be read is ignored. */
const findProductsOnSale = async (
  { context }: Asked,
  owner: OwnerInUse | undefined,
): Promise<readonly PricedProduct[]> => {
  if (isSandbox(owner)) {
    const { pricedProduct } = await import('../../service/catalogue.ts')
    return [...(await sandboxCatalogue()).products.values()].map(pricedProduct)
  }
  const file = owner?.products
  if (file === undefined) return []
  const { readProductFile } = await import('../shared/products/product-list.ts')
  return readProductFile(context, file).catch(() => [])
}

export const findSkus = async (asked: Asked): Promise<Candidate[]> => {
  const ordered = await findOrderedProducts(asked)
  if (ordered.length > 0) return removeRepeated(ordered.map(({ sku }) => ({ value: sku })))
  const onSale = await findProductsOnSale(asked, await findOwner(asked))
  return onSale.map(({ sku, name }) => ({ value: sku, description: name }))
}

const formatProductCandidate = (
  { sku, name, productType, price }: PricedProduct,
  hasType: boolean,
): Candidate => {
  if (productType === 'fixed') return { value: `${sku}:${price.least}`, description: name }
  const range = `${price.least} to ${price.most} ${price.currency}`
  // The form comes first, because a shell cuts off the end of a long description.
  const form = hasType ? undefined : `${sku}:QUOTE/${productType}`
  return {
    value: `${sku}:`,
    description: [form, name, range].filter((each) => each !== undefined).join(', '),
  }
}

/** `SKU:QUOTE` if the price is known, otherwise `SKU:`. The user may add a quantity and a type. */
export const findProducts: Source = async (ask) => {
  const owner = await findOwner(ask)
  const hasCatalogue = isSandbox(owner)
  const onSale = new Map(
    (await findProductsOnSale(ask, owner)).map((product) => [
      product.sku,
      formatProductCandidate(product, hasCatalogue),
    ]),
  )
  const ordered = hasCatalogue ? [] : await findOrderedProducts(ask)
  const candidates = ordered.map(
    ({ sku, productType, quote }) =>
      // The current price, not that of the last order.
      onSale.get(sku) ??
      (productType === 'fixed'
        ? { value: `${sku}:${quote}`, description: 'last ordered amount' }
        : { value: `${sku}:`, description: `${productType}: ${sku}:QUOTE/${productType}` }),
  )
  return { candidates: removeRepeated([...candidates, ...onSale.values()]), next: 'nospace' }
}

export const findWallets = async (asked: Asked): Promise<Candidate[]> => {
  if (!isSandbox(await findOwner(asked))) return findUsedWallets(asked)
  const { wallets } = await sandboxCatalogue()
  return [...wallets.keys()].map((value) => ({ value }))
}

/** The ordered products, newest first. If the line names an order of the journal, only its products. */
const findOrderedProducts = async (asked: Asked): Promise<ProductLine[]> => {
  const rows = await queryAccount(asked, (read, { readNewestRequests }, owner) =>
    readNewestRequests(read, owner),
  )
  const [named] = asked.line.operands
  const fromNamed = rows.filter(
    ({ orderId, reference }) => named !== undefined && (named === orderId || named === `ref:${reference}`),
  )
  const chosen = named === lastWord ? rows.filter(isLast).slice(0, 1) : fromNamed
  const { readRequestedProducts } = await import('../../operations/compare.ts')
  return (chosen.length > 0 ? chosen : rows).flatMap((row) => readRequestedProducts(row) ?? [])
}

/** The default wallet of the profile, then those of its orders. */
const findUsedWallets = async (asked: Asked): Promise<Candidate[]> => {
  const own = (await findOwner(asked))?.wallet
  const rows = await queryAccount(asked, (read, { readNewestRequests }, owner) =>
    readNewestRequests(read, owner),
  )
  return removeRepeated([
    ...(own === undefined ? [] : [{ value: own, description: 'default wallet of this profile' }]),
    ...rows.flatMap(({ wallet, placedAt }) =>
      wallet === undefined
        ? []
        : [
            {
              value: wallet,
              description: `last used ${formatRelative(placedAt, asked.context.clock.now())}`,
            },
          ],
    ),
  ])
}
