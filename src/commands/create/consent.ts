// create --watch without --confirm prompts before it spends. If it cannot prompt, it ends before it sends a create.

import type { Consent } from '../../app/consent.ts'
import type { CommandSession } from '../../app/session.ts'
import { Failure, type Remedy } from '../../errors.ts'
import type { Journal } from '../../journal/journal.ts'
import { findAllByReference } from '../../journal/orders/queries.ts'
import { isHolding } from '../../journal/orders/standings.ts'
import type { CreateOptions } from './spec.ts'

export type Wanted = {
  readonly options: CreateOptions
  /** Of the new order. */
  readonly reference: string | undefined
  /** Of the order that is ordered again. By its id, every run chooses the same reference. */
  readonly earlierId?: string | undefined
}

export const consentOf = ({ options, reference = '', earlierId = '' }: Wanted): Consent => {
  const { again, confirm, file, noInput, watch, webhookUrl, acceptWebhook } = options
  const isRepeatable = [again, file, options.reference].some((each) => each !== undefined)
  const changed = new Map([
    ['--watch', [...(isRepeatable ? [] : ['--reference', reference]), '--confirm', '--watch']],
    [again ?? '', [earlierId]],
    [`--again=${again}`, [`--again=${earlierId}`]],
  ])
  return {
    isAsked: watch && !confirm,
    ...{ noInput, acceptWebhook },
    createFailure: (reason) =>
      new Failure('cannot-prompt', `create --watch needs --confirm, because it cannot prompt: ${reason}`, {
        field: '--confirm',
        // The address of a webhook may hold a token.
        fix: (suggest) => (webhookUrl === undefined ? suggest.typed(changed) : undefined),
        advice: isRepeatable
          ? 'Use --confirm to spend without a prompt.'
          : 'Add --confirm to spend without a prompt, and --reference so that a second run does not buy again.',
      }),
    afterNo: (orderId) => adviseConfirm(orderId, options),
  }
}

export const adviseConfirm = (orderId: string, { watch }: CreateOptions): Remedy => ({
  fix: (suggest) => suggest`confirm ${orderId} ${{ watch }}`,
  advice: 'If you do nothing, the order expires and costs nothing.',
})

/** Such an order is read before the consent is judged: if it is confirmed, --idempotent needs none. */
export const mayContinueConfirmed = async (
  { owner }: CommandSession,
  { read }: Journal,
  { options, reference }: Wanted,
): Promise<boolean> => {
  if (!options.idempotent || reference === undefined) return false
  const known = await findAllByReference(read, owner.account, reference)
  return known.some((entry) => isHolding(entry) && entry.standing !== 'pending')
}
