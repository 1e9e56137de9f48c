// Writes the next step for an order: a command that works, and what to know about it.
import { formatUtcTime } from '../../contract/time.ts'
import type { OrderView } from '../../operations/view.ts'
import { type Suggest, writeProofAdvice } from '../../text/suggest.ts'

type Order = {
  readonly orderId?: string | undefined
  readonly batch?: string | undefined
  /** It cannot be confirmed, because its total needs an approval. */
  readonly needsApproval?: boolean
  /** This process's database role may not confirm it. */
  readonly needsOtherRole?: boolean
  /** An assistant prepared it. */
  readonly placedWith?: string | undefined
}

export type NextStep = {
  /** What the command does, such as 'Confirm it'. */
  readonly label?: string
  readonly command?: string
  /** Sentences. */
  readonly advice?: string
}

export const writeNextStep = (
  { next, money, provenAt }: Pick<OrderView, 'next' | 'money' | 'provenAt'>,
  order: Order,
  suggest: Suggest,
): NextStep => {
  const { orderId = '' } = order
  switch (next) {
    case 'none':
      return {}
    case 'create':
      return { advice: 'Nothing was spent. Run create again.' }
    case 'confirm':
      return writeConfirm(order, money === 'unspent', suggest)
    case 'watch':
      return { label: 'Wait for it', command: suggest`watch ${orderId}` }
    case 'redeem':
      return { label: 'Show its cards', command: suggest`redeem ${orderId}` }
    case 'explain':
      return { label: 'See what happened', command: suggest`get ${orderId} --explain` }
    case 'order-again':
      return { label: 'Order again', command: suggest`create ${{ again: orderId }}` }
    case 'reconcile':
      return { label: 'Check it', command: suggest`reconcile ${orderId}`, advice: 'Do not order again.' }
    case 'wait-for-proof':
    case 'settle-by-hand':
      return { advice: writeProofAdvice(provenAt === undefined ? undefined : formatUtcTime(provenAt)) }
  }
}

/** An order of a batch is bought within the cap of the batch, so nobody confirms it by hand. */
const writeConfirm = (order: Order, isUnspent: boolean, suggest: Suggest): NextStep => {
  const { orderId = '', batch, needsApproval } = order
  const expires = isUnspent ? 'If you do nothing, it expires and costs nothing.' : 'Do not order again.'
  if (batch !== undefined) return { label: 'Continue its batch', command: suggest`batch run ${batch}` }
  if (needsApproval === true)
    return { advice: `It needs an approval, which only a batch can have. ${expires}` }
  return { label: describeConfirm(order), command: suggest`confirm ${orderId}`, advice: expires }
}

export const describeConfirm = ({
  placedWith,
  needsOtherRole,
}: Pick<Order, 'placedWith' | 'needsOtherRole'>) =>
  (placedWith ? 'An assistant prepared it. ' : '') +
  (needsOtherRole ? 'Ask a colleague with a different role to confirm it' : 'Confirm it')

/** 'Confirm it: orderctl confirm X. If you do nothing, it expires and costs nothing.' Empty without a next step. */
export const formatNextStep = ({ label, command, advice }: NextStep): string =>
  [command && `${label}: ${command}${advice ? '.' : ''}`, advice].filter(Boolean).join(' ')
