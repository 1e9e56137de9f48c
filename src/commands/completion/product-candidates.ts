// Candidates from the products on sale and those that were ordered, and the wallets to pay from.
import type { ProductLine } from '../../contract/order-request.ts'
import { lastWord } from '../../contract/order-words.ts'
import { sandbox } from '../../profiles/profile.ts'
import type { PricedProduct } from '../../service/catalogue.ts'
import type { Candidate } from '../../ui/text/candidates.ts'
import { formatRelative } from '../../ui/text/time.ts'
import { isLast } from './journal-candidates.ts'
import { findOwner, type OwnerInUse, queryAccount } from './journal-reader.ts'
import { type Asked, removeRepeated, type Source, toCandidates } from './source.ts'

const isSandbox = (owner: OwnerInUse | undefined): boolean => owner?.profile === sandbox

/** The products of the sandbox's catalogue, or of the profile's product file. A file that cannot be read is ignored. */
const readProductsOnSale = async (asked: Asked, owner?: OwnerInUse): Promise<readonly PricedProduct[]> => {
  if (isSandbox(owner)) {
    const { builtInCatalogue, pricedProduct } = await import('../../service/catalogue.ts')
    return [...builtInCatalogue().products.values()].map(pricedProduct)
  }
  if (owner?.products === undefined) return []
  const { readProductFile } = await import('../../app/products/product-list.ts')
  return readProductFile(asked.context, owner.products).catch(() => [])
}

export const findSkus: Source = async (asked) => {
  const ordered = await readOrderedProducts(asked)
  if (ordered.length > 0) return removeRepeated(toCandidates(ordered.map(({ sku }) => sku)))
  const onSale = await readProductsOnSale(asked, await findOwner(asked))
  return onSale.map(({ sku, name }) => ({ value: sku, description: name }))
}

const describeProduct = ({ sku, name, productType, price }: PricedProduct, hasType: boolean): Candidate => {
  if (productType === 'fixed') return { value: `${sku}:${price.least}`, description: name }
  const range = `${price.least} to ${price.most} ${price.currency}`
  // The form comes first, because a shell cuts off the end of a long description.
  const parts = [hasType ? undefined : `${sku}:QUOTE/${productType}`, name, range]
  return { value: `${sku}:`, description: parts.filter((each) => each !== undefined).join(', ') }
}

/** `SKU:QUOTE` if the price is known, otherwise `SKU:`. The user may add a quantity and a type. */
export const findProducts: Source = async (asked) => {
  const owner = await findOwner(asked)
  const products = await readProductsOnSale(asked, owner)
  const onSale = new Map(products.map((each) => [each.sku, describeProduct(each, isSandbox(owner))]))
  const ordered = isSandbox(owner) ? [] : await readOrderedProducts(asked)
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

const readRequests = (asked: Asked) =>
  queryAccount(asked, ({ readNewestRequests }, access, selection) => readNewestRequests(access, selection))

/** The ordered products, newest first. If the line names an order of the journal, only its products. */
const readOrderedProducts = async (asked: Asked): Promise<ProductLine[]> => {
  const rows = await readRequests(asked)
  const [named] = asked.line.operands
  const chosen =
    named === lastWord
      ? rows.filter(isLast).slice(0, 1)
      : rows.filter(({ orderId, reference }) => named && [orderId, `ref:${reference}`].includes(named))
  const { readRequestedProducts } = await import('../../operations/compare.ts')
  return (chosen.length > 0 ? chosen : rows).flatMap((row) => readRequestedProducts(row) ?? [])
}

/** For the sandbox, its wallets. For a profile, its default wallet, then the wallets of its orders. */
export const findWallets: Source = async (asked) => {
  const owner = await findOwner(asked)
  if (isSandbox(owner)) {
    const { builtInCatalogue } = await import('../../service/catalogue.ts')
    return toCandidates([...builtInCatalogue().wallets.keys()])
  }
  const own = owner?.wallet
  const used = (await readRequests(asked)).flatMap(({ wallet, placedAt }) => {
    const description = `last used ${formatRelative(placedAt, asked.context.clock.now())}`
    return wallet === undefined ? [] : { value: wallet, description }
  })
  const first = own === undefined ? [] : [{ value: own, description: 'default wallet of this profile' }]
  return removeRepeated([...first, ...used])
}
