// The data between the steps of create: the order to submit, and the placed order.
import type { Decimal } from '../../contract/decimal.ts'
import type { CreatedOrder } from '../../contract/schemas.ts'
import type { Offer } from '../../operations/offer.ts'
import type { Account } from '../../profiles/account.ts'
import type { Writer } from '../../ui/terminal/io.ts'
import type { Result } from '../shared/output/output.ts'
import type { ProductList } from '../shared/products/product-list.ts'
import type { Again } from './again.ts'
import type { Expiry, Wizard } from './ask-for-missing.ts'
import type { CompleteOrder } from './draft.ts'
import type { CreateOptions } from './spec.ts'

export type Submission = {
  readonly options: CreateOptions
  readonly account: Account
  readonly order: CompleteOrder
  /** The products of the account, if they are known. */
  readonly list: ProductList | undefined
  /** Present if the products are those of an earlier order. */
  readonly again?: Again | undefined
  /** Present if the user answers questions. */
  readonly wizard?: Wizard
}

/** An order that exists: this create placed it, or an earlier run with the same reference did. */
export type PlacedOrder = {
  readonly orderId: string
  readonly isConfirmed: boolean
  /** Undefined if an earlier run placed it. */
  readonly created: CreatedNow | undefined
  /**
   * What a confirm spends. Undefined if an earlier run confirmed the order meanwhile. Throws if the order differs from
   * the request or costs too much.
   */
  readonly readOffer: (maxTotal: Decimal | undefined) => Promise<Offer | undefined>
}

type CreatedNow = {
  readonly order: CreatedOrder
  readonly readExpiry: () => Expiry
  readonly result: Pick<Result, 'data' | 'ids'>
  readonly screen: (output?: Writer) => Promise<string>
}
