// The steps of `orderctl listen`: options → account → journal → deliveries until it is interrupted.

import { accountOf, accountWithoutKey } from '../../app/account.ts'
import { openStateFolder, ownerOf, stateFolderPath } from '../../app/journals.ts'
import { type CommandSession, openSession } from '../../app/open-session.ts'
import { codesOf, revealOrders } from '../../app/output/output.ts'
import type { Context } from '../../context.ts'
import { formatAccountId } from '../../contract/account-id.ts'
import { unlessAborted, within } from '../../contract/time.ts'
import { exitCodes, Failure } from '../../errors.ts'
import { limitWait } from '../../journal/access.ts'
import { findKnownIds } from '../../journal/orders/list-orders.ts'
import { createAcceptor, receivingLimits } from '../../operations/listen/accept-delivery.ts'
import { createDueLoop } from '../../operations/listen/due-loop.ts'
import { serveOn as serve } from '../../server/http-server.ts'
import { sanitize } from '../../ui/terminal/text.ts'
import { viewOf } from '../../ui/terminal/view.ts'
import { formatBytes, formatTime } from '../../ui/text/formats.ts'
import { pick, type ResultFields, readFields, renderJson } from '../../ui/text/result-fields.ts'
import { type NamedText, renderFields } from '../../ui/text/table.ts'
import { createHeaders, deliveryHeader } from '../../webhooks/delivery.ts'
import { openDeliveryTable, readListenStatus, type StoredDelivery } from '../../webhooks/delivery-table.ts'
import { createLog } from './log.ts'
import { choosePath, openTarget, readSecret } from './options.ts'
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
