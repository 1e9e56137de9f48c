// Confirms an order for confirm and create. If a person must consent, first shows what the confirm spends, and asks. Also
// how a call that spends shows its progress.

import type { Context } from '../context.ts'
import { type Decimal, formatMillionths } from '../contract/money/decimal.ts'
import { Failure, interruption, type Remedy } from '../errors.ts'
import { findBatchNames } from '../journal/batches/batch-names.ts'
import type { Journal } from '../journal/journal.ts'
import type { Entry } from '../journal/orders/entries.ts'
import { type ConfirmSettings, confirm, type ReadForConfirm, readForConfirm } from '../operations/confirm.ts'
import type { CallProgress } from '../operations/dependencies.ts'
import { countOffer, differenceText, guard, type Offer, refuseChanges } from '../operations/offer.ts'
import { settlingMs } from '../operations/purchase-step.ts'
import type { NamedOrder } from '../operations/read.ts'
import type { ControllingTerminal } from '../ui/terminal/controlling-terminal.ts'
import { sanitize } from '../ui/terminal/text.ts'
import { viewOf } from '../ui/terminal/view.ts'
import { formatExpiry, formatMoney } from '../ui/text/formats.ts'
import { formatAccount, printAccount } from './account.ts'
import type { CommandSession } from './open-session.ts'
import type { SendingSession } from './open-to-send.ts'
import { canPrompt, formatWaitingWarnings, writeNote, writeProse } from './terminal.ts'

/** Sends the confirm, and warns if its response was not a valid success but the order is confirmed. */
const sendConfirm = async (
  session: SendingSession,
  offer: Offer,
  options: ConfirmSettings,
): Promise<void> => {
  using progress = showProgress(session, 'confirm')
  const notice = await confirm(session, offer, { ...options, ...progress })
  if (notice !== undefined) session.context.stderr.warn(sanitize(notice))
}

/** After the first Ctrl-C, orderctl still waits for a pending create or confirm, and says so. */
export const showProgress = (
  { context, waiting }: CommandSession,
  what: 'create' | 'confirm',
): CallProgress & Disposable => {
  const { interrupted, suggest } = context
  const printNotice = (): void =>
    writeProse(
      context,
      `Interrupted: still waiting for the response to ${what}. To leave at once, press Ctrl-C again. Then run: ${suggest`reconcile`}\n`,
    )
  const stop = (): void => interrupted.removeEventListener('abort', printNotice)
  let settling: ReturnType<typeof waiting.begin> | undefined
  return {
    onSending: () => interrupted.addEventListener('abort', printNotice, { once: true }),
    onSettling: (reason) => {
      // From here on, an interruption ends the wait.
      stop()
      writeNote(
        context,
        `No valid response to ${what} (${sanitize(reason)}). Checking the order for up to ${settlingMs / 1000} s.\n`,
      )
      settling = waiting.begin(() => 'checking the order')
    },
    [Symbol.dispose]: () => {
      settling?.end()
      stop()
    },
  }
}

export type Consent = {
  /** Whether a person is asked. Otherwise the command line is the consent. */
  readonly isAsked: boolean
  readonly noInput: boolean
  /** If a person must be asked, but cannot be. */
  readonly createFailure: (reason: string) => Failure
  /** What to do after No. */
  readonly afterNo?: (orderId: string) => Remedy
  /** The host that gets the codes without a prompt. */
  readonly acceptWebhook: string | undefined
}

type ConfirmOptions = {
  readonly maxTotal: Decimal | undefined
  readonly minValidity?: number | undefined
  readonly allowDuplicate: boolean
  readonly acceptChanges?: boolean
  /** This run has just created the order. */
  readonly isNew?: boolean
}

/** Throws if a person must be asked, but cannot be. Call it before anything is sent. */
export const requireConsent = async (context: Context, consent: Consent): Promise<void> => {
  if (!consent.isAsked || canPrompt(context, consent)) return
  await (await openTerminal(context, consent))[Symbol.asyncDispose]()
}

/** Throws if the person does not consent. */
export const confirmWithConsent = async (
  session: SendingSession,
  named: NamedOrder,
  consent: Consent,
  options: ConfirmOptions,
): Promise<void> => {
  const { maxTotal, minValidity, allowDuplicate, acceptChanges = false, isNew = false } = options
  const guards = { minValidityMs: minValidity, maxTotal }
  const { orderId } = named
  const read = await readForConfirm(session, named, { isNew })
  const { offer, differences } = read
  guard(offer, guards, session.serviceNow())
  if (!consent.isAsked) {
    if (!acceptChanges) refuseChanges(orderId, differences)
    const facts = { orderId, facts: `the order ${orderId} was not confirmed` }
    await requireWebhookConsent(session, read.entry?.webhookHost, { ...consent, noInput: true, ...facts })
  }
  if (!(await askConsent(session, consent, read))) {
    const remedy = consent.afterNo?.(orderId)
    throw interruption(session.interrupted, 'this run did not confirm the order', { orderId, ...remedy })
  }
  // Time has passed until the user answered.
  guard(offer, guards, session.serviceNow())
  await sendConfirm(session, offer, { allowDuplicate, accepted: differences })
}

type WebhookOptions = Pick<Consent, 'acceptWebhook' | 'noInput'> & {
  /** What was not sent, for the error. */
  readonly facts: string
  readonly orderId?: string
}

/** Without a prompt that shows the webhook, the command line or the profile must name its host. */
export const requireWebhookConsent = async (
  { context, account }: SendingSession,
  host: string | undefined,
  { acceptWebhook, noInput, facts, orderId }: WebhookOptions,
): Promise<void> => {
  const ofProfile = account.kind === 'service' ? account.webhookHost : undefined
  if (host === undefined || [acceptWebhook, ofProfile].includes(host)) return
  if (canPrompt(context, { noInput })) {
    if (await context.askYesNo(`${describeWebhook(host)}. Order anyway?`)) return
    throw interruption(context.interrupted, facts)
  }
  const problem = `the webhook host ${host} is not accepted; ${facts}`
  throw new Failure('webhook-host', problem, {
    field: '--accept-webhook',
    orderId,
    fix: (suggest) => orderId && suggest`get ${orderId}`,
    advice:
      'If the host is yours, pass it with --accept-webhook, or save it in the profile with --webhook-host.',
  })
}

const describeWebhook = (host: string): string => `The service will send the codes to ${sanitize(host)}`

/** Without a question, the consent is given. */
const askConsent = async (
  { context, account, journal, serviceNow }: SendingSession,
  consent: Consent,
  { order, offer, differences, entry, view }: ReadForConfirm,
): Promise<boolean> => {
  const { stderr } = context
  const changes = differences.map((each) => `  ${sanitize(differenceText(each))}\n`).join('')
  // --json and -q must not hide a changed order.
  const warning = changes && `warning: the order differs from the order that was placed:\n${changes}`
  const origin =
    entry?.request === undefined
      ? 'This journal did not place it, so its webhook is unknown\n'
      : await describeOrigin(journal, entry, countOffer(offer))
  if (!consent.isAsked) {
    stderr.write(warning)
    if (origin !== '') writeNote(context, origin)
    return true
  }
  const { renderOrderSummary } = await import('../ui/screens/order.ts')
  const waiting = formatWaitingWarnings(context)
  const drawOn = (output: Context['stderr']): string => {
    const now = serviceNow()
    const summary = renderOrderSummary(order, view, viewOf(context, now, output))
    const guess = offer.isEstimate ? ' (estimated)' : ''
    return `${summary}${formatExpiry(offer.expiresAt, now)}${guess}\n${origin}${waiting}${warning}`
  }
  const question = `Confirm the order and spend ${formatMoney(offer.total, offer.wallet)}?`
  if (canPrompt(context, consent)) {
    if (stderr.isQuiet) stderr.write(formatAccount(context, account))
    stderr.write(drawOn(stderr))
    return context.askYesNo(question)
  }
  stderr.write(warning)
  await using terminal = await openTerminal(context, consent)
  printAccount({ stderr: terminal.output }, account)
  terminal.output.write(drawOn(terminal.output))
  return await terminal.askYesNo(question)
}

/** A user may take an order for one of their own that a batch or an assistant has placed. */
const describeOrigin = async (journal: Journal, entry: Entry, counts: bigint): Promise<string> => {
  const names = entry.batch === undefined ? undefined : await findBatchNames(journal.read, [entry])
  const batch = names?.get(entry.batch ?? 0)
  const { placedWith, placedLimit: limit, webhookHost } = entry
  const excess =
    limit !== undefined && counts > limit ? `, and above its limit of ${formatMillionths(limit)}` : ''
  return [
    ...(batch === undefined
      ? []
      : [`It belongs to the batch ${sanitize(batch.name)}. Usually batch run confirms it\n`]),
    ...(placedWith === undefined ? [] : [`An assistant prepared this order with orderctl mcp${excess}\n`]),
    ...(webhookHost === undefined ? [] : [`${describeWebhook(webhookHost)}\n`]),
  ].join('')
}

/** stderr is redirected, so the prompt goes to the controlling terminal. */
const openTerminal = async (context: Context, consent: Consent): Promise<ControllingTerminal> => {
  const { createFailure, noInput } = consent
  if (context.environment.CI) throw createFailure('CI is set')
  if (noInput) throw createFailure('prompts are turned off')
  if (!context.stdin.isTerminal) throw createFailure('stdin is not a terminal')
  const terminal = await context.openTerminal()
  if (terminal === undefined) throw createFailure('stderr is redirected and there is no controlling terminal')
  return terminal
}
