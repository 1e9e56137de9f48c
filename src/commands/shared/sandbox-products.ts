// The product types of the sandbox, whose catalogue is built in. Products of other accounts are `fixed` by default.
import type { Account } from '../../profiles/account.ts'

export const catalogueTypes = async (account: Account): Promise<(sku: string) => string | undefined> => {
  if (account.kind !== 'sandbox') return () => undefined
  const { builtInCatalogue } = await import('../../service/catalogue.ts')
  const { products } = builtInCatalogue()
  return (sku) => products.get(sku)?.productType
}
