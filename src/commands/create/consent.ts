// create --watch without --confirm prompts before it spends. If it cannot prompt, it ends before any request.

import { type Consent, requireConsent } from '../../app/consent.ts'
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
  const { again, confirm, file, noInput, watch, webhookUrl } = options
  const isRepeatable = [again, file, options.reference].some((each) => each !== undefined)
  const changed = new Map([
    ['--watch', [...(isRepeatable ? [] : ['--reference', reference]), '--confirm', '--watch']],
    [again ?? '', [earlierId]],
    [`--again=${again}`, [`--again=${earlierId}`]],
  ])
  return {
    isAsked: watch && !confirm,
    noInput,
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

/** With --idempotent, an order that is, or may be, confirmed needs no consent. Call it before anything is sent. */
export const requireConsentOrOrder = async (
  { context, owner }: CommandSession,
  journal: Journal,
  wanted: Wanted,
): Promise<void> => {
  const { options, reference } = wanted
  if (options.idempotent && reference !== undefined) {
    const known = await findAllByReference(journal.read, owner.account, reference)
    if (known.some((entry) => isHolding(entry) && entry.standing !== 'pending')) return
  }
  await requireConsent(context, consentOf(wanted))
}
