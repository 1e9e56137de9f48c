// Opens the session of a command: the account, its transport, the api and the journal.

import { createApi } from '../client/api.ts'
import type { CallAttempt } from '../client/observe-transport.ts'
import type { Context } from '../context.ts'
import { parseTimeout, timeoutForm } from '../contract/duration.ts'
import { createServiceClock } from '../contract/time.ts'
import { Failure } from '../errors.ts'
import type { Overcharge, Session } from '../operations/dependencies.ts'
import type { Account } from '../profiles/account.ts'
import { sanitize } from '../ui/terminal/text.ts'
import { accountOf, openTransport, type SessionOptions } from './account.ts'
import { type Journals, journalsOf, ownerOf } from './journal/journals.ts'
import { canDraw, createClockWarning, createWaiting, type Waiting, withWaiting } from './terminal.ts'

export type CommandSession = Omit<Session, 'journal' | 'journals'> & {
  readonly context: Context
  readonly account: Account
  readonly journals: Journals
  /** Shows what orderctl is waiting for. Calls of the api are shown automatically. */
  readonly waiting: Waiting
  /** Closes the connections or the sandbox, and the journal. */
  [Symbol.asyncDispose](): Promise<void>
}

/** `onAttempt` is called after each attempt of a request, also after the retries. */
export const openSession = async (
  context: Context,
  options: SessionOptions,
  chosen?: Account,
  onAttempt?: (attempt: CallAttempt) => void,
): Promise<CommandSession> => {
  const account = chosen ?? (await accountOf(context, options))
  const { random, interrupted } = context
  const timeoutMs = options.timeout ?? readTimeoutVariable(context)
  const { transport, containsSecret, close } = await openTransport(context, account, {
    isTraced: options.debug,
    onAttempt,
  })
  const owner = ownerOf(account)
  const journals = journalsOf(context, account, options)
  const { clock } = journals
  const warnOfClock = createClockWarning(context)
  const serviceClock = createServiceClock(clock)
  const onServerTime = (ms: number): void => {
    serviceClock.set(ms)
    // `sandbox advance` moves the sandbox's clock on purpose.
    if (account.kind !== 'sandbox') warnOfClock(ms)
  }
  const api = createApi(transport, { clock: context.clock, random, timeoutMs, onServerTime })
  const showsProgress = !options.json && options.quiet !== true
  const waiting = createWaiting(context, canDraw(context, { showsProgress }))
  return {
    context,
    account,
    api: withWaiting(api, waiting),
    clock,
    serviceNow: serviceClock.now,
    interrupted,
    owner,
    containsSecret,
    journals,
    seenCards: { duplicates: new Map(), unrecorded: new Map() },
    waiting,
    onOvercharge: (overcharge) => context.stderr.warn(overchargeWarning(overcharge)),
    [Symbol.asyncDispose]: async () => {
      await close()
      await journals[Symbol.asyncDispose]()
    },
  }
}

const overchargeWarning = ({ entry, charged, currency }: Overcharge): string => {
  const { orderId = '', wallet = '', total = '' } = entry
  const how =
    currency === wallet
      ? `${charged} ${wallet}, more than its total of ${total} ${wallet}`
      : `in ${currency}, not in ${wallet}. orderctl counts its total of ${charged} ${wallet}`
  return sanitize(`the order ${orderId} was charged ${how}`)
}

/** Read when a session opens: commands that make no call ignore the variable. */
const readTimeoutVariable = ({ environment }: Pick<Context, 'environment'>): number | undefined => {
  const text = environment.ORDERCTL_TIMEOUT
  if (!text) return undefined
  const ms = parseTimeout(text)
  if (ms !== undefined) return ms
  const problem = `ORDERCTL_TIMEOUT is ${JSON.stringify(text)}; allowed: ${timeoutForm}`
  throw new Failure('usage', problem, { fix: () => 'orderctl help environment' })
}
