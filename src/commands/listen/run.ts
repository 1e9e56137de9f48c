// The steps of `orderctl listen`: options → account → journal → deliveries until it is interrupted. Below: the secret, the path
// and the target of --forward-to. Then what it prints: where it listens, a line or a JSON object for each delivery, and warnings
// on stderr.

import { accountOf, accountWithoutKey } from '../../app/account.ts'
import { openStateFolder, ownerOf, stateFolderPath } from '../../app/journals.ts'
import { type CommandSession, openSession } from '../../app/open-session.ts'
import { codesOf, revealOrders } from '../../app/output/output.ts'
import { joinResponse } from '../../app/output/show-order.ts'
import { readInput } from '../../app/read-input.ts'
import { openForwarder } from '../../client/network.ts'
import type { Context } from '../../context.ts'
import { formatAccountId, isLoopbackHost } from '../../contract/account-id.ts'
import { findCards } from '../../contract/order/redeem-cards.ts'
import { formatDuration, toMilliseconds, unlessAborted, within } from '../../contract/time.ts'
import { findSecretProblem, readSecretKey } from '../../contract/webhook-signature.ts'
import { exitCodes, Failure } from '../../errors.ts'
import { limitWait } from '../../journal/access.ts'
import { findKnownIds } from '../../journal/orders/list-orders.ts'
import { createAcceptor, receivingLimits } from '../../operations/listen/accept-delivery.ts'
import { createDueLoop } from '../../operations/listen/due-loop.ts'
import type { ReadOrder } from '../../operations/read.ts'
import { serveOn as serve } from '../../server/http-server.ts'
import { orderFields } from '../../ui/screens/orders.ts'
import { findShownWord, findViewStyle, stateText } from '../../ui/screens/state.ts'
import { createLineLog, describeDroppedLines } from '../../ui/terminal/line-log.ts'
import { sanitize } from '../../ui/terminal/text.ts'
import { themeFor, viewOf } from '../../ui/terminal/view.ts'
import {
  describeCount,
  describeOrdered,
  formatAge,
  formatBytes,
  formatClock,
  formatTime,
} from '../../ui/text/formats.ts'
import {
  chooseFields,
  fieldsOf,
  pick,
  type ResultFields,
  readFields,
  readSparse,
  renderJson,
  sparse,
} from '../../ui/text/result-fields.ts'
import { type NamedText, renderFields } from '../../ui/text/table.ts'
import {
  createHeaders,
  deliveryHeader,
  openDeliveryTable,
  readListenStatus,
  type StoredDelivery,
} from '../../webhooks/deliveries.ts'
import type { ListenOptions } from './spec.ts'

/** How long an attempt in progress may take after an interruption. */
const lastAttemptMs = 5_000
/** Senders wait for a response while the journal is read. A locked file even blocks the process. */
const journalWaitMs = 1_000

/** Returns the exit code. */
export const listen = async (context: Context, options: ListenOptions): Promise<number> => {
  if (options.status) return showStatus(context, options)
  const secret = options.secretStdin ? await readSecret(context) : undefined
  const path = choosePath(context, options.path, secret !== undefined)
  const account = await accountOf(context, options)
  if (account.kind === 'sandbox') {
    throw new Failure('usage', 'the sandbox sends no webhooks, so there is nothing to listen for', {
      field: '--profile',
      fix: () => 'orderctl serve-mock',
      advice: 'Select another profile with --profile, or test with the local service.',
    })
  }
  {
    // The log has lines of its own, so no progress is drawn.
    await using session = await openSession(context, { ...options, quiet: true }, account)
    await receive(session, options, path, secret)
  }
  if (!context.interrupted.aborted) return exitCodes.ok.code
  return context.interrupted.reason === 'SIGTERM' ? exitCodes.terminated.code : exitCodes.interrupted.code
}

type ListenStatus = ReturnType<typeof readListenStatus>

export const statusFields: ResultFields<ListenStatus> = [
  ['listening', 'flag', 'a listener runs', ({ isListening }) => isListening],
  ['waitingCount', 'count', 'deliveries that wait to be forwarded', ({ waiting }) => waiting],
  ...pick((status: ListenStatus) => status, {
    bytes: ['count', 'their size'],
    oldestAt: ['time', 'when the oldest was received'],
    lastError: ['text', 'why it was not forwarded'],
    file: ['text', 'the file of the deliveries'],
  }),
]

/** Asks neither the service nor the journal. */
const showStatus = async (context: Context, options: ListenOptions): Promise<number> => {
  const account = await accountWithoutKey(context, options.profile)
  const status = readListenStatus(stateFolderPath(context), formatAccountId(ownerOf(account).account))
  const { isListening, file, waiting, bytes, oldestAt, lastError } = status
  const view = viewOf(context)
  const fields: NamedText[] = [
    ['listener', isListening ? 'running' : 'not running'],
    ['waiting', waiting === 0 ? 'none' : `${waiting} (${formatBytes(bytes)})`],
    ['oldest', oldestAt === null ? undefined : formatTime(oldestAt, view)],
    ['last error', lastError === null ? undefined : sanitize(lastError)],
    ['file', sanitize(file)],
  ]
  const next = waiting > 0 && !isListening ? 'To send them, use --forward-to and your URL.\n' : ''
  context.stdout.write(
    options.json ? renderJson(readFields(statusFields, status)) : renderFields(fields, view) + next,
  )
  return exitCodes.ok.code
}

/** Receives deliveries until it is interrupted. `secret` is undefined if deliveries need no signature. */
const receive = async (
  session: CommandSession,
  { host, port, forwardTo, json }: ListenOptions,
  path: string,
  secret: string | undefined,
): Promise<void> => {
  const { clock, interrupted, stdout } = session.context
  const { context, serviceNow, containsSecret } = session
  const owner = session.owner.account
  const account = formatAccountId(owner)
  // Refuses a state folder that other users can change, before anything is written to it.
  const journal = await session.journals.openOrCreate()
  await limitWait(journal.read, journalWaitMs)
  const folder = openStateFolder(context)
  await using log = createLog(context, json, serviceNow)
  await using target = forwardTo && openTarget(context, forwardTo)
  using table = openDeliveryTable(folder, account)
  if (table === undefined) {
    throw new Failure('local-state', 'another listen receives the webhooks of this account', {
      fix: (suggest) => suggest`listen --status`,
      advice: 'Stop the other one first.',
    })
  }
  const { waiting } = readListenStatus(folder, account)
  const ended = new AbortController()
  const loop = createDueLoop({
    ...{ ...log, session, clock, table },
    send: target && ((delivery) => target.post(toRequest(delivery), ended.signal)),
    reveal: (order) => revealOrders(session, { orders: [codesOf(order)], how: 'replay' }, () => {}),
    onFailed: (what, reason, waitMs, orderId) => {
      const texts: Record<string, string> = {
        check: `read ${orderId}`,
        forward: `forward to ${target?.name}`,
      }
      log.warnOfRetry(texts[what] ?? what, reason, waitMs)
    },
  })
  const accept = createAcceptor({
    ...{ ...log, account, table, secret, now: clock.now, newId: clock.newId, containsSecret },
    isForwarding: target !== undefined,
    findOwn: (ids) =>
      within(
        clock,
        journalWaitMs,
        undefined,
        (limited) => unlessAborted(limited, findKnownIds(journal.read, owner, ids)),
        () => new Error('the journal does not respond'),
      ),
    onAccepted: (delivery, isNew) => {
      if (!isNew) log.onDuplicate(delivery)
      loop.ring()
    },
  })
  const server = await serve(accept, {
    ...{ commandName: 'listen', host, port, secretPath: path, clock },
    limits: receivingLimits,
    // A larger body does not reach `accept`.
    onRefused: (_request, status, message) => status === 413 && log.onRefused(status, message),
  })
  log.onListening(`${server.origin}${path}`, secret !== undefined, target?.name, waiting)
  const stopped = AbortSignal.any([interrupted, stdout.broken])
  stopped.addEventListener('abort', () => {
    void server.close()
    void clock.sleep(lastAttemptMs, ended.signal).then(() => ended.abort())
  })
  try {
    await loop.run(stopped)
  } finally {
    await server.close()
    ended.abort()
  }
}

const toRequest = ({ key, deliveryId, headers, body }: StoredDelivery) => ({
  headers: [...(headers === null ? createHeaders(deliveryId) : JSON.parse(headers)), [deliveryHeader, key]],
  body: body ?? new Uint8Array(),
})

const guessableLength = 16
const shortestSecretBytes = 24

const readSecret = async (context: Context): Promise<string> => {
  const secret = new TextDecoder().decode(await readInput(context, '-', 'the secret')).trim()
  const problem = findSecretProblem(secret)
  if (problem !== undefined) {
    throw new Failure('usage', `the secret is invalid: ${problem}`, {
      field: '--secret-stdin',
      advice: (suggest) => `Read it from a file: ${suggest`listen --secret-stdin`} < secret.txt`,
    })
  }
  const { length } = readSecretKey(secret)
  if (length < shortestSecretBytes)
    context.stderr.warn(
      `the secret is short (${length} bytes). Use at least ${shortestSecretBytes} random bytes.`,
    )
  return secret
}

/** A new secret path, unless --path names one. */
const choosePath = (context: Context, given: string | undefined, isSigned: boolean): string => {
  if (given !== undefined && given.length < guessableLength && !isSigned)
    context.stderr.warn(
      'the path is easy to guess, and deliveries are accepted without a signature. Omit --path, or use --secret-stdin.',
    )
  return given ?? `/${context.clock.newId().replaceAll('-', '')}`
}

export const openTarget = (context: Context, url: URL) => {
  const { protocol, hostname, origin, pathname } = url
  if (protocol !== 'https:' && !isLoopbackHost(hostname)) {
    context.stderr.warn(
      `--forward-to sends deliveries, which may contain codes, to ${hostname} without encryption`,
    )
  }
  const { post, close } = openForwarder(url, context)
  // The query may hold a key, so the name is without it.
  return { post, name: `${origin}${pathname}`, [Symbol.asyncDispose]: close }
}

type Seen = Pick<ReadOrder, 'data' | 'view'>

type DeliveryOrigin = Pick<StoredDelivery, 'orderId' | 'deliveryId' | 'received'>

const seenFields = chooseFields(
  orderFields,
  'reference',
  'state',
  'money',
  'progress',
  'products',
  'placedAt',
)

const lineFields = fieldsOf({
  event: ['text', 'listening, order, duplicate, forwarded, expired, refused, warning or dropped'],
  occurredAt: ['time', 'when; of an order, when its delivery was received'],
  url: ['text', 'where it listens'],
  signed: ['flag', 'deliveries need a signature'],
  forwardTo: ['text', 'the target of --forward-to'],
  waitingCount: ['count', 'deliveries that wait since an earlier run'],
  orderId: ['text', 'the order'],
  deliveryId: ['text', "the sender's id of the delivery"],
  account: ['text', 'the account of a delivery that expired'],
  known: ['flag', 'the service has the order'],
  hasCodes: ['flag', 'the order has cards'],
  ...Object.fromEntries(seenFields.map(([name, type, meaning]) => [name, [type, meaning] as const])),
  httpStatus: ['count', 'of the response to a delivery that was refused'],
  message: ['text', 'why, or the warning'],
  lineCount: ['count', 'lines that were dropped, because the reader stalled'],
})

/** Of --json. */
export const listenLine = sparse(lineFields, 'event')

/** `serviceNow` is the service's time. */
export const createLog = (context: Context, isJson: boolean, serviceNow: () => number) => {
  const { stdout, stderr, clock } = context
  const theme = themeFor(stdout)
  const renderEvent = (event: string, fields: object): string =>
    renderJson(readSparse(lineFields, { event, ...fields }), { oneLine: true })
  const renderDropped = (lineCount: number) => renderEvent('dropped', { occurredAt: clock.now(), lineCount })
  const out = createLineLog(stdout, clock, isJson ? renderDropped : describeDroppedLines)
  let lastWarning = ''
  /** A repeated warning is printed once. */
  const warn = (text: string): void => {
    if (text === lastWarning) return
    if (isJson) out.write(renderEvent('warning', { occurredAt: clock.now(), message: text }))
    else stderr.write(`warning: ${sanitize(text)}\n`)
    lastWarning = text
  }
  const writeEvent = (event: string, occurredAt: number, delivery: DeliveryOrigin, more = {}): void =>
    out.write(renderEvent(event, { ...delivery, account: undefined, occurredAt, ...more }))
  /** '2026-11-20 20:54:05 UTC  ord_1  ✓ successful  2 × GAME-US 25  3 s' */
  const writeLine = ({ orderId, received }: DeliveryOrigin, ...cells: readonly string[]): void => {
    const all = [theme.quiet(formatClock(received, viewOf(context))), sanitize(orderId), ...cells]
    out.write(`${all.filter((cell) => cell !== '').join('  ')}\n`)
  }

  const describeSeen = (seen: Seen | undefined): string[] => {
    if (seen === undefined) return [theme.warning('? the service does not know this order')]
    const { data, view } = seen
    const style = findViewStyle(view)
    if (view.reading === 'stranger') return [theme[style.paint](`${style.mark} ${style.meaning}`)]
    const age = formatAge(toMilliseconds(data.createdDate), serviceNow())
    const word = stateText(findShownWord(data.state, view), theme, style)
    return [word, sanitize(describeOrdered(data)), theme.quiet(age)]
  }

  return {
    /** `waiting`: the deliveries that an earlier process has not forwarded. */
    onListening: (url: string, isSigned: boolean, target: string | undefined, waiting: number): void => {
      if (target === undefined && waiting > 0) {
        const deliveries = describeCount(waiting, 'delivery waits', 'deliveries wait')
        warn(`${deliveries} to be forwarded since an earlier run. Use --forward-to to send them.`)
      }
      if (isJson) {
        out.write(
          renderEvent('listening', { url, signed: isSigned, forwardTo: target, waitingCount: waiting }),
        )
        // The command may run for days, so they are not kept until its end.
        for (const text of stderr.warnings?.splice(0) ?? []) warn(text)
        return
      }
      const noteTheme = themeFor(stderr)
      const { strong, quiet } = noteTheme
      const left = waiting === 0 ? '' : ` (${waiting} waiting from an earlier run)`
      const fields: NamedText[] = [
        ['url', strong(sanitize(url))],
        ['signed', isSigned ? 'required' : 'not checked: anyone who knows the URL can send a delivery'],
        ['forward', target && `${sanitize(target)}${left}`],
      ]
      stderr.write(
        `${strong('Listening for webhooks.')}\n` +
          renderFields(fields, { theme: noteTheme }, '  ') +
          `${quiet('Each delivery is logged below. Press Ctrl-C to stop.')}\n`,
      )
    },

    onDuplicate: (delivery: DeliveryOrigin): void => {
      if (isJson) writeEvent('duplicate', delivery.received, delivery)
      else writeLine(delivery, theme.quiet('received again'))
    },

    onChecked: (delivery: DeliveryOrigin, seen: Seen | undefined): void => {
      if (isJson) writeEvent('order', delivery.received, delivery, toData(seen))
      else writeLine(delivery, ...describeSeen(seen))
    },

    onForwarded: (delivery: DeliveryOrigin): void => {
      lastWarning = ''
      if (isJson) writeEvent('forwarded', clock.now(), delivery)
    },

    onExpired: (delivery: DeliveryOrigin & Pick<StoredDelivery, 'account'>): void => {
      const { orderId, account } = delivery
      if (isJson) writeEvent('expired', clock.now(), delivery, { account })
      else
        warn(`a delivery of ${orderId} (${account}) was not forwarded within 7 days, so its body was deleted`)
    },

    onRefused: (status: number, reason: string): void => {
      if (isJson)
        out.write(renderEvent('refused', { occurredAt: clock.now(), httpStatus: status, message: reason }))
      else warn(`refused a delivery (HTTP ${status}): ${reason}`)
    },

    warnOfRetry: (what: string, reason: string, waitMs: number): void =>
      warn(`cannot ${what}: ${reason}. Trying again in ${formatDuration(waitMs + 999)}.`),

    /** Writes the last lines. */
    [Symbol.asyncDispose]: out.end,
  }
}

/** The service does not have the order if it shows a different one under the id. */
const toData = (seen: Seen | undefined) => {
  if (seen === undefined || seen.view.reading === 'stranger') return { known: false, hasCodes: false }
  const hasCards = findCards(seen.data.redeem).length > 0
  const shown = joinResponse(undefined, seen, { isRevealed: false })
  return { known: true, hasCodes: hasCards, ...readFields(seenFields, shown) }
}
