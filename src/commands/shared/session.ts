// Opens what a command needs to talk to the service: the account, its transport, the client and the journal.
import { join } from 'node:path'
import { createApi } from '../../client/api.ts'
import type { Attempt } from '../../client/observe-transport.ts'
import type { Context } from '../../context.ts'
import { sandboxAddress } from '../../contract/account-id.ts'
import type { Transport } from '../../contract/transport.ts'
import type { Journal } from '../../journal/journal.ts'
import { type Overcharge, recordRead } from '../../operations/order-update.ts'
import { recordReads } from '../../operations/record-reads.ts'
import { createServiceClock } from '../../operations/service-time.ts'
import type { Session } from '../../operations/session.ts'
import { type Account, resolveAccount } from '../../profiles/account.ts'
import { runCredentialCommand } from '../../profiles/credential.ts'
import type { KeyItem } from '../../profiles/key-tools.ts'
import { environmentName } from '../../profiles/profile.ts'
import type { Profiles } from '../../profiles/store.ts'
import { sanitize } from '../../ui/terminal/sanitize.ts'
import { themeFor } from '../../ui/terminal/view.ts'
import { clockWarning } from './clock-warning.ts'
import { type Journals, journalsOf } from './journal/open-journal.ts'
import { findOtherProfiles, readProfiles } from './journal/other-profiles.ts'
import { ownerOf } from './journal/owner-of.ts'
import { openStateFolder } from './journal/state-folder.ts'
import { writeNote } from './notes.ts'
import { readTimeoutVariable, type SessionOptions } from './options.ts'
import type { SeenCards } from './output/seen-cards.ts'
import { refuseLostProfiles } from './profile-in-use.ts'
import { profilesOf } from './profiles-of.ts'
import { type Waiting, waitingApi, waitingOn } from './waiting.ts'
import { wrapTransport } from './wrap-transport.ts'

/** The session of a command. */
export type CommandSession = Omit<Session, 'journal'> & {
  readonly account: Account
  /** Opens the journal when it is needed. */
  readonly journals: Journals
  /** Of the orders that it has read. */
  readonly seenCards: SeenCards
  /** Shows what orderctl is waiting for. Calls of the api are shown automatically. */
  readonly waiting: Waiting
  /** Closes the connections or the sandbox, and the journal. */
  close(): Promise<void>
}

/** A command that sends has opened its journal. */
export type SendingSession = CommandSession & Session

/** Whether stderr may be redrawn in place. */
export const canDraw = (
  { stderr, environment, isAccessible }: Context,
  { showsProgress }: Pick<SessionOptions, 'showsProgress'>,
): boolean =>
  stderr.isTerminal && environment.TERM !== 'dumb' && !environment.CI && !isAccessible && showsProgress

type AccountNeeds = {
  readonly needsKey?: boolean
  readonly isChosenHere?: boolean
  /** Of the credential command. */
  readonly commandMs?: number
}

export const accountOf = async (
  context: Context,
  { profile, allowHttp }: Pick<SessionOptions, 'profile' | 'allowHttp'>,
  { needsKey, isChosenHere, commandMs: timeoutMs }: AccountNeeds = {},
): Promise<Account> => {
  const { environment, clock, interrupted, spawn, stderr } = context
  let profiles: Profiles | undefined
  const account = resolveAccount({
    environment,
    profileName: profile,
    allowHttp,
    needsKey,
    isChosenHere,
    profiles: () => {
      profiles ??= profilesOf(context)
      return profiles
    },
    runCommand: (line) => runCredentialCommand(line, { spawn, clock, interrupted, timeoutMs }),
    readStoredKey: (item) => readStoredKey(context, item, timeoutMs),
    onWarning: (text) => stderr.write(`warning: ${text}\n`),
  })
  if (account.kind === 'sandbox' && account.isDefault) await refuseLostProfiles(context)
  return account
}

export const readStoredKey = async (context: Context, item: KeyItem, timeoutMs?: number): Promise<string> => {
  const { openKeyStore } = await import('../../profiles/key-store.ts')
  return openKeyStore(context, timeoutMs).read(item)
}

/** `onAttempt` is called after each attempt of a request, also after the retries. */
export const openSession = async (
  context: Context,
  options: SessionOptions,
  chosen?: Account,
  onAttempt?: (attempt: Attempt) => void,
): Promise<CommandSession> => {
  const account = chosen ?? (await accountOf(context, options))
  const { random, interrupted } = context
  const timeoutMs = options.timeoutMs ?? readTimeoutVariable(context)
  const { transport: bare, baseUrl, containsSecret, close } = await transportTo(context, account)
  const transport = await wrapTransport(context, bare, { baseUrl, isTraced: options.isTraced, onAttempt })
  const plain = createApi(transport, { clock: context.clock, random, timeoutMs })
  const owner = ownerOf(account)
  const journals = journalsOf(context, account, options)
  const { clock } = journals
  const warnOfClock = clockWarning(context)
  const serviceClock = createServiceClock(clock)
  const waiting = waitingOn(context, canDraw(context, options))
  const seenCards: SeenCards = { duplicates: new Map(), unrecorded: new Map() }
  const recorded = recordReads(plain, {
    record: (order) => {
      seenCards.unrecorded.set(order.uid, order)
      return journals.attempt('the journal was not updated', async (journal) => {
        const { duplicates, overcharge } = await recordRead({ journal, owner }, order, clock.now())
        seenCards.unrecorded.delete(order.uid)
        if (duplicates.length > 0) seenCards.duplicates.set(order.uid, duplicates)
        if (overcharge !== undefined) context.stderr.write(overchargeWarning(overcharge))
      })
    },
    onServerTime: (ms) => {
      serviceClock.set(ms)
      // `sandbox advance` moves the sandbox's clock on purpose.
      if (account.kind !== 'sandbox') warnOfClock(ms)
    },
  })
  const api = waitingApi(recorded, waiting)
  const closeAll = async (): Promise<void> => {
    await close()
    await journals.close()
  }
  const serviceNow = serviceClock.now
  return {
    account,
    api,
    clock,
    serviceNow,
    interrupted,
    owner,
    containsSecret,
    journals,
    seenCards,
    waiting,
    close: closeAll,
  }
}

const overchargeWarning = ({ entry, charged, currency }: Overcharge): string => {
  const { orderId = '', wallet = '', total = '' } = entry
  const how =
    currency === wallet
      ? `${charged} ${wallet}, more than its total of ${total} ${wallet}`
      : `in ${currency}, not in ${wallet}. orderctl counts its total of ${charged} ${wallet}`
  return `${sanitize(`warning: the order ${orderId} was charged ${how}`)}\n`
}

/**
 * Opens the journal of a command that sends requests. Throws if it cannot be used: nothing may be sent that it does not
 * record first. A command that never spends may also update a journal that must not be spent with.
 */
export const openToSend = async (
  context: Context,
  session: CommandSession,
  { spends }: { readonly spends: boolean },
): Promise<SendingSession> => {
  const { account, journals } = session
  const { place, openToWrite } = journals
  if (!spends) {
    const journal = await (place.kind === 'shared' ? beforeSending(openToWrite) : openToWrite())
    return { ...session, journal }
  }
  const others = account.kind === 'sandbox' ? [] : findOtherProfiles(readProfiles(context), account)
  const isShared =
    place.kind === 'shared' ||
    others.length > 0 ||
    (account.kind === 'service' && account.lastJournal !== undefined)
  const shared = isShared ? await import('./journal/shared-place.ts') : undefined
  shared?.refuseOtherJournal(context, account, place, others)
  const journal = await (isShared ? beforeSending(openToWrite) : openToWrite())
  const { restored } = journal
  if (restored !== undefined) await beforeSending(() => Promise.reject(restored))
  const found = shared?.findNewJournal(context, account, place)
  // From now on, the profile does not spend without this journal.
  if (found !== undefined && account.name !== environmentName) {
    await profilesOf(context).update(account.name, { lastJournal: found })
  }
  return { ...session, journal }
}

const beforeSending = async (open: Journals['openToWrite']): Promise<Journal> => {
  const { withFacts } = await import('../../operations/record.ts')
  return withFacts('nothing was sent', open)
}

type Connection = Pick<CommandSession, 'containsSecret' | 'close'> & {
  readonly transport: Transport
  readonly baseUrl: string
}

const transportTo = async (context: Context, account: Account): Promise<Connection> => {
  if (account.kind === 'sandbox') {
    const { transport, close } = await openSandbox(context)
    return { transport, baseUrl: sandboxAddress, containsSecret: undefined, close: async () => close() }
  }
  const { baseUrl, allowHttp, auth } = account
  const { createSecretTest, withCredentials } = await import('../../client/credentials.ts')
  const network = await context.openNetwork({
    baseUrl,
    allowHttp,
    environment: context.environment,
    userAgent: `orderctl/${context.version}`,
  })
  const key = await account.getKey()
  const transport = withCredentials(network, auth, key)
  return { transport, baseUrl, containsSecret: createSecretTest(auth, key), close: network.close }
}

/** The embedded service in process. Its state is a file, so the next command continues with it. */
export const openSandbox = async (context: Context) => {
  const { openEmbedded } = await import('../../service/embedded.ts')
  const { builtInCatalogue } = await import('../../service/catalogue.ts')
  const { transport, failureOf, close } = openEmbedded({
    clock: context.clock,
    catalogue: builtInCatalogue(),
    stateFile: join(openStateFolder(context), 'sandbox.db'),
  })
  const safe: Transport = (request) =>
    transport(request).catch((error) => {
      throw failureOf(error)
    })
  return { transport: safe, close }
}

/** A command that may spend prints first which account it uses. */
export const printAccount = (context: Pick<Context, 'stderr'>, account: Account): void =>
  writeNote(context, formatAccount(context, account))

/** For a prompt: `Using the profile shop: https://…`. */
export const formatAccount = ({ stderr }: Pick<Context, 'stderr'>, account: Account): string =>
  `${themeFor(stderr).quiet(accountText(account))}\n`

const accountText = (account: Account): string => {
  if (account.kind === 'sandbox') return 'Using the sandbox: no real money'
  const { name, baseUrl, account: declared } = account
  const who = name === environmentName ? 'the environment' : `the profile ${name}`
  return sanitize(`Using ${who}: ${baseUrl}${declared === undefined ? '' : `, account ${declared}`}`)
}
