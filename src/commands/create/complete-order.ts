// An order that has everything that create needs, and the flags that say how it goes on.
import type { Decimal } from '../../contract/decimal.ts'
import type { OrderRequest } from '../../contract/order-request.ts'
import type { Account } from '../../profiles/account.ts'
import type { ShowFlags } from '../shared/output.ts'
import type { SessionFlags } from '../shared/session.ts'
import type { Asked } from './ask-for-missing.ts'

export type CarryOutFlags = SessionFlags &
  ShowFlags & {
    readonly dryRun?: boolean
    readonly confirm?: boolean
    readonly watch?: boolean
    readonly allowDuplicate?: boolean
    readonly idempotent?: boolean
    readonly input: boolean
  }

export type CompleteOrder = {
  readonly account: Account
  /** Throws if the order is not valid. Read again after the wizard has changed it. */
  readonly request: () => OrderRequest
  /** False if orderctl generated the reference, so that it cannot tell a second try from a second order. */
  readonly hasOwnReference: () => boolean
  readonly maxTotal: Decimal | undefined
  readonly asked: Asked | undefined
}
