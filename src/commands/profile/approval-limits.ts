// Sets, removes and shows the totals above which an account needs approvals.
import { decimal, zero } from '../../contract/decimal.ts'
import type { Fix } from '../../errors.ts'
import { Failure } from '../../errors.ts'
import type { Owner } from '../../journal/entry.ts'
import type { Journal } from '../../journal/journal.ts'
import { type Limit, removeLimit, setLimit } from '../../journal/limits/limits.ts'
import { environmentName, sandbox } from '../../profiles/profile.ts'
import { formatSetBy } from '../../ui/screens/limits/budgets.ts'
import { sanitize } from '../../ui/terminal/sanitize.ts'
import { formatMoney } from '../../ui/text/amounts.ts'
import type { JournalPlace } from '../shared/journal/place.ts'
import { settingData } from './limit-setting.ts'
import type { LimitsOptions } from './spec.ts'

/** Nobody can approve anything in the journal of one machine. */
export const refuseLocalApprovals = (
  { approveAbove }: LimitsOptions,
  { kind }: JournalPlace,
  { profile }: Owner,
): void => {
  if (approveAbove.length === 0 || kind === 'shared') return
  throw new Failure(
    'usage',
    `--approve-above needs a journal that a team shares, but ${profile} uses the journal of this machine; nothing was changed`,
    {
      field: '--approve-above',
      fix: adviseSharedJournal(profile),
    },
  )
}

const adviseSharedJournal = (profile: string): Fix => {
  const address = 'postgres://user@host/database'
  switch (profile) {
    case sandbox:
      return (suggest) =>
        `Use a profile with a shared journal: ${suggest`profile add NAME --base-url URL ${{ journal: address }}`}`
    case environmentName:
      return `Set ORDERCTL_JOURNAL=${address}.`
    default:
      return (suggest) =>
        `Set ORDERCTL_JOURNAL=${address}, or add the profile again: ${suggest`profile add ${profile} --replace --base-url URL ${{ journal: address }}`}`
  }
}

/** Returns what was changed. */
export const applyApprovals = async (
  journal: Journal,
  { account, profile }: Owner,
  { approveAbove, removeApproval }: LimitsOptions,
  known: readonly Limit[],
): Promise<string[]> => {
  const name = sanitize(profile)
  const isOwn = (limit: Limit): boolean => limit.kind === 'approval' && limit.accountName === account.name
  for (const currency of removeApproval) {
    if (!known.some((limit) => isOwn(limit) && limit.currency === currency))
      throw new Failure('usage', `${profile} needs no approvals in ${currency}; nothing was changed`, {
        field: '--remove-approval',
        fix: (suggest) => `Show its limits: ${suggest`profile limits ${profile}`}`,
      })
  }
  for (const limit of approveAbove) await setLimit(journal, account, limit)
  for (const currency of removeApproval) await removeLimit(journal, account, { kind: 'approval', currency })
  return [
    ...approveAbove.map(({ amount, currency }) =>
      isZero(amount)
        ? `Every batch of ${name} in ${currency} now needs an approval`
        : `Batches of ${name} above ${formatMoney(decimal(amount), currency)} now need an approval`,
    ),
    ...removeApproval.map((currency) => `Batches of ${name} in ${currency} no longer need an approval`),
  ]
}

export const toApprovalData = (limits: readonly Limit[]) =>
  limits.map((limit) => ({
    currency: limit.currency,
    above: decimal(limit.amount),
    account: limit.accountName ?? null,
    ...settingData(limit),
  }))

/** 'Batches above 1,000.00 USD need an approval (set by ana, 2026-11-23 09:00 UTC)' */
export const describeApprovalLimit = (limit: Limit): string => {
  const { amount, currency } = limit
  const rule = isZero(amount)
    ? `Every batch in ${sanitize(currency)} needs an approval`
    : `Batches above ${formatMoney(decimal(amount), currency)} need an approval`
  return `${rule} (set by ${formatSetBy(limit)})`
}

const isZero = (amount: string): boolean => decimal(amount).eq(zero)
