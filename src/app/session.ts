// Opens the session of a command: the account, its transport, the api and the journal.

import { createApi } from '../client/api.ts'
import type { CallAttempt } from '../client/observe-transport.ts'
import type { Context } from '../context.ts'
import { parseTimeout, timeoutForm } from '../contract/duration.ts'
import { createServiceClock } from '../contract/time.ts'
import { Failure } from '../errors.ts'
import type { Journal } from '../journal/journal.ts'
import { type Overcharge, type Session, withFacts } from '../operations/dependencies.ts'
import type { Account } from '../profiles/account.ts'
import { sanitize } from '../ui/terminal/text.ts'
import { accountOf, findOtherProfiles, openTransport, readProfiles, type SessionOptions } from './account.ts'
import { type Journals, journalsOf } from './journal/open-journal.ts'
import { ownerOf, refuseOtherJournal } from './journal/place.ts'
import { canDraw, createClockWarning, createWaiting, type Waiting, withWaiting } from './notes.ts'

export type CommandSession = Omit<Session, 'journal' | 'journals'> & {
  readonly context: Context
  readonly account: Account
  readonly journals: Journals
  /** Shows what orderctl is waiting for. Calls of the api are shown automatically. */
  readonly waiting: Waiting
  /** Closes the connections or the sandbox, and the journal. */
  [Symbol.asyncDispose](): Promise<void>
}

/** A command that sends has opened its journal. */
export type SendingSession = CommandSession & Session

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

/**
 * Opens the journal of a command that sends requests. Throws if it cannot be used: nothing may be sent that it does not
 * record first. A command that never spends may also update a journal that must not be spent with.
 */
export const openToSend = async (
  session: CommandSession,
  { spends }: { readonly spends: boolean },
): Promise<SendingSession> => {
  const { context, account, journals } = session
  const { place, openOrCreate } = journals
  if (!spends) {
    const journal = await (place.kind === 'shared' ? beforeSending(openOrCreate) : openOrCreate())
    return { ...session, journal }
  }
  const others = account.kind === 'sandbox' ? [] : findOtherProfiles(readProfiles(context), account)
  refuseOtherJournal(context, account, place, others)
  const journal = await (account.kind === 'sandbox' ? openOrCreate() : beforeSending(openOrCreate))
  const { conflict } = journal
  if (conflict !== undefined) await beforeSending(() => Promise.reject(conflict))
  return { ...session, journal }
}

const beforeSending = (open: Journals['openOrCreate']): Promise<Journal> =>
  withFacts('nothing was sent', open)

/** Read when a session opens: commands that make no call ignore the variable. */
const readTimeoutVariable = ({ environment }: Pick<Context, 'environment'>): number | undefined => {
  const text = environment.ORDERCTL_TIMEOUT
  if (!text) return undefined
  const ms = parseTimeout(text)
  if (ms !== undefined) return ms
  const problem = `ORDERCTL_TIMEOUT is ${JSON.stringify(text)}; allowed: ${timeoutForm}`
  throw new Failure('usage', problem, { fix: () => 'orderctl help environment' })
}
