// Opens the session of a command: the account, its transport (the network or the sandbox), the api and the journal.

import { join } from 'node:path'
import { createApi } from '../client/api.ts'
import type { CallAttempt } from '../client/observe-transport.ts'
import type { Context } from '../context.ts'
import { sandboxAddress } from '../contract/account-id.ts'
import { createServiceClock, parseTimeout, timeoutForm } from '../contract/time.ts'
import type { Transport } from '../contract/transport.ts'
import { Failure } from '../errors.ts'
import type { Overcharge, Session } from '../operations/dependencies.ts'
import type { Account } from '../profiles/account.ts'
import { sanitize } from '../ui/terminal/text.ts'
import { renderTrace } from '../ui/text/formats.ts'
import { accountOf, type SessionOptions } from './account.ts'
import { type Journals, journalsOf, openStateFolder, ownerOf } from './journals.ts'
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

type Connection = Pick<Session, 'containsSecret'> & {
  readonly transport: Transport
  readonly baseUrl: string
  close(): Promise<void>
}

/** With `isTraced`, prints each request. */
const openTransport = async (
  context: Context,
  account: Account,
  { isTraced, onAttempt }: { isTraced: boolean; onAttempt: ((attempt: CallAttempt) => void) | undefined },
): Promise<Connection> => {
  const { clock, stderr } = context
  const connection = await connectTo(context, account)
  let { transport } = connection
  if (onAttempt !== undefined) {
    const { withObserver } = await import('../client/observe-transport.ts')
    transport = withObserver(transport, { clock, onAttempt })
  }
  if (isTraced) {
    const { withTracing } = await import('../client/observe-transport.ts')
    const { baseUrl } = connection
    transport = withTracing(transport, {
      clock,
      baseUrl,
      onRequest: (event) => stderr.write(renderTrace(event)),
    })
  }
  return { ...connection, transport }
}

const connectTo = async (context: Context, account: Account): Promise<Connection> => {
  if (account.kind === 'sandbox') {
    const { transport, [Symbol.dispose]: close } = await openSandbox(context)
    return { transport, baseUrl: sandboxAddress, containsSecret: undefined, close: async () => close() }
  }
  const { baseUrl, auth } = account
  const { createSecretTest, withCredentials } = await import('../client/credentials.ts')
  const network = await openNetworkOf(context, account)
  const key = await account.getKey()
  const transport = withCredentials(network, auth, key)
  return { transport, baseUrl, containsSecret: createSecretTest(auth, key), close: network.close }
}

/** Without the key. */
export const openNetworkOf = (
  { openNetwork, environment, version }: Context,
  { baseUrl, allowHttp }: Extract<Account, { kind: 'service' }>,
) => openNetwork({ baseUrl, allowHttp, environment, userAgent: `orderctl/${version}` })

/** The embedded service in process. Its state is a file, so the next command continues with it. */
export const openSandbox = async (context: Context) => {
  const { openEmbedded } = await import('../service/embedded.ts')
  const { builtInCatalogue } = await import('../service/catalogue.ts')
  const { transport, failureOf, close } = openEmbedded({
    clock: context.clock,
    catalogue: builtInCatalogue(),
    stateFile: join(openStateFolder(context), 'sandbox.db'),
  })
  const safe: Transport = (request) =>
    transport(request).catch((error) => {
      throw failureOf(error)
    })
  return { transport: safe, [Symbol.dispose]: close }
}
