// The steps of `orderctl confirm`: options → account → order → consent → confirmed → watched → shown.
import type { Context } from '../../context.ts'
import { Failure, interruption } from '../../errors.ts'
import { exitCodes } from '../../exit-codes.ts'
import { type Difference, differenceText, refuseChanges } from '../../operations/compare.ts'
import { readForConfirm } from '../../operations/confirm/read-for-confirm.ts'
import { findOrderToConfirm } from '../../operations/find-order.ts'
import { guard } from '../../operations/offer.ts'
import { readSpent } from '../../operations/read.ts'
import { withFacts } from '../../operations/record.ts'
import type { Account } from '../../profiles/account.ts'
import type { ControllingTerminal } from '../../ui/terminal/controlling-terminal.ts'
import { sanitize } from '../../ui/terminal/sanitize.ts'
import { formatMoney } from '../../ui/text/amounts.ts'
import { formatExpiry } from '../../ui/text/time.ts'
import { formatAccount, printAccount } from '../shared/account.ts'
import { isQuiet } from '../shared/notes.ts'
import { canPrompt, outputOf, sessionOf } from '../shared/options.ts'
import { resolveIdToSpend } from '../shared/order-ids.ts'
import { ensureDelivered, outputFor } from '../shared/output/output.ts'
import { preloadOutput } from '../shared/output/preload-output.ts'
import { showOrder } from '../shared/output/show-order.ts'
import { readOrderNames, requireOrder } from '../shared/picking/require-order.ts'
import { acceptConfirmed, afterOtherRuns, confirmOrder } from '../shared/send-order.ts'
import { openSession, openToSend, type SendingSession } from '../shared/session.ts'
import type { ConfirmOptions } from './spec.ts'

/** Returns the exit code. */
export const confirm = async (context: Context, options: ConfirmOptions): Promise<number> => {
  const { order, idempotent: isIdempotent, watch: isWatched } = options
  const output = outputOf(options)
  const orders = order === undefined ? [] : [order]
  requireOrder(context, 'confirm', orders, options)
  await requireConsent(context, options)
  const opened = await openSession(context, sessionOf(options))
  try {
    printAccount(context, opened.account)
    const session = await openToSend(context, opened, { spends: true })
    await preloadOutput(output, { isWatched })
    const orderId = await withFacts('nothing was sent', async () => {
      const [named = ''] = await readOrderNames(context, session, 'confirm', orders)
      return resolveIdToSpend(context, session, {
        write: (suggest, id) => suggest`confirm ${id}`,
        text: named,
        isProfileNamed: options.profile !== undefined,
        findOne: findOrderToConfirm,
      })
    })
    const wasConfirmed = await acceptConfirmed(context, isIdempotent, () =>
      afterOtherRuns(context, session, { isIdempotent }, () =>
        confirmWithConsent(context, session, { orderId, options }),
      ),
    )
    if (isWatched) {
      const { watchOrders } = await import('../shared/output/watch-orders.ts')
      return await watchOrders(context, session, [orderId], { output, isStream: false, isKnown: true })
    }
    if (output.format === 'ids') {
      await outputFor(context, output).print({ ids: [orderId], data: () => undefined, screen: () => '' })
      await ensureDelivered(context, `the order ${orderId} is confirmed`, orderId)
      return exitCodes.ok.code
    }
    const exit = await showOrder(context, session, await readSpent(session, orderId), output)
    return wasConfirmed ? exitCodes.ok.code : exit
  } finally {
    await opened.close()
  }
}

type ConfirmWork = {
  readonly orderId: string
  readonly options: ConfirmOptions
}

const confirmWithConsent = async (
  context: Context,
  session: SendingSession,
  { orderId, options }: ConfirmWork,
): Promise<void> => {
  const guards = { minValidityMs: options.minValidity, maxTotal: options.maxTotal }
  const { order, offer, differences, placedWith } = await readForConfirm(session, orderId)
  guard(offer, guards, session.serviceNow())
  if (!options.acceptChanges && !isConsentNeeded(context, options)) refuseChanges(orderId, differences)
  const answer = await askConsent(context, options, {
    account: session.account,
    summary: async (target) => {
      const { summaryScreen } = await import('../shared/output/order-screen.ts')
      const guess = offer.isEstimate ? ' (estimated)' : ''
      const origin = placedWith === undefined ? '' : 'Prepared by an assistant, with orderctl mcp\n'
      const now = session.serviceNow()
      return `${summaryScreen(target, order, now)}${formatExpiry(offer.expiresAt, now)}${guess}\n${origin}`
    },
    warning: warnOfChanges(differences),
    message: `Confirm the order and spend ${formatMoney(offer.total, offer.wallet)}?`,
  })
  if (answer === 'refused') {
    throw interruption(context.interrupted, 'not confirmed; nothing was spent', { orderId })
  }
  // Time has passed until the user answered.
  guard(offer, guards, session.serviceNow())
  await confirmOrder(context, session, {
    offer,
    allowDuplicate: options.allowDuplicate,
    accepted: differences,
  })
}

const warnOfChanges = (differences: readonly Difference[]): string => {
  if (differences.length === 0) return ''
  const lines = differences.map((each) => `  ${sanitize(differenceText(each))}\n`)
  return `warning: the order differs from the order that was placed:\n${lines.join('')}`
}

type ConsentOptions = Pick<ConfirmOptions, 'yes' | 'noInput' | 'json' | 'quiet'>

/** In a script (stdin is no terminal), the command itself is the consent. */
const isConsentNeeded = ({ stdin }: Context, { yes }: ConsentOptions): boolean => !yes && stdin.isTerminal

type Question = {
  readonly account: Account
  /** What the confirm spends, drawn for the stderr of the given context. */
  summary(context: Context): Promise<string>
  /** Printed even with --json and -q. */
  readonly warning: string
  readonly message: string
}

/** Throws if the user must be asked but cannot be. Call it before anything is sent. */
const requireConsent = async (context: Context, options: ConsentOptions): Promise<void> => {
  if (!isConsentNeeded(context, options) || canPrompt(context, options)) return
  const terminal = await openTerminal(context, options)
  await terminal.close()
}

/** Shows what the confirm spends, and asks on stderr or on the controlling terminal. */
const askConsent = async (
  context: Context,
  options: ConsentOptions,
  { account, summary, warning, message }: Question,
): Promise<'given' | 'refused'> => {
  const { stderr } = context
  const isNeeded = isConsentNeeded(context, options)
  const promptsHere = isNeeded && canPrompt(context, options)
  if (promptsHere && isQuiet(context)) stderr.write(formatAccount(context, account))
  if (promptsHere || (!options.json && !options.quiet)) stderr.write(await summary(context))
  if (warning !== '') stderr.write(warning)
  if (!isNeeded) return 'given'
  if (promptsHere) return (await context.confirm(message)) ? 'given' : 'refused'
  const terminal = await openTerminal(context, options)
  try {
    const terminalContext = { ...context, stderr: terminal.output }
    printAccount(terminalContext, account)
    terminal.output.write(`${await summary(terminalContext)}${warning}`)
    return (await terminal.confirm(message)) ? 'given' : 'refused'
  } finally {
    await terminal.close()
  }
}

/** stderr is redirected, so the prompt goes to the controlling terminal. */
const openTerminal = async (
  { environment, openTerminal }: Context,
  { noInput }: ConsentOptions,
): Promise<ControllingTerminal> => {
  if (environment.CI) throw needsYes('CI is set')
  if (noInput) throw needsYes('prompts are turned off')
  const terminal = await openTerminal()
  if (terminal === undefined) throw needsYes('stderr is redirected and there is no controlling terminal')
  return terminal
}

const needsYes = (reason: string): Failure =>
  new Failure('usage', `confirm needs --yes, because it cannot prompt: ${reason}`, {
    field: '--yes',
    fix: 'Use --yes to spend without a prompt.',
  })
