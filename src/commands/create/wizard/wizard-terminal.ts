// The terminal of the wizard: its prompts, what its review shows, and the account that it names.
import type { Context } from '../../../context.ts'
import type { Account } from '../../../profiles/account.ts'
import { environmentName } from '../../../profiles/profile.ts'
import type { Ask } from '../../../ui/prompts/asking.ts'
import { supportsUnicode } from '../../../ui/terminal/environment.ts'
import { viewOf } from '../../shared/output/view-of.ts'
import type { CreateOptions } from '../spec.ts'
import type { ReviewTerminal } from './review-step.ts'

export const createWizardTerminal = (
  context: Context,
  account: Account,
  options: CreateOptions,
  ask: Ask,
): ReviewTerminal => {
  const { clock, stderr, environment, platform } = context
  const hasUnicode = supportsUnicode(environment, platform)
  return {
    ask,
    say: (text) => stderr.write(text),
    view: () => ({
      ...viewOf(context, clock.now(), stderr),
      hasUnicode,
      account: describeAccount(account),
    }),
    describePlacing: (isBatch) => (isBatch ? describeBatch(options) : describePlacing(options)),
  }
}

const describeAccount = (account: Account): string => {
  if (account.kind === 'sandbox') return 'sandbox, no real money'
  const { name, baseUrl, account: declared } = account
  const who = name === environmentName ? 'the environment' : name
  return `${who}, ${new URL(baseUrl).host}${declared === undefined ? '' : `, account ${declared}`}`
}

const describePlacing = ({ dryRun, confirm, watch }: CreateOptions): string => {
  if (dryRun) return 'check the order (sends nothing)'
  return confirm || watch
    ? 'place the order and confirm it (spends its total)'
    : 'place the order (spends nothing yet)'
}

const describeBatch = ({ dryRun }: CreateOptions): string =>
  dryRun ? 'plan the batch (sends nothing)' : 'start the batch (asks again before it spends)'
