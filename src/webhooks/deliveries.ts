// A delivery as it was received: its id, its signature by Standard Webhooks 1.0.0 (scheme `v1`), and what is forwarded. Then the
// table of deliveries, in a SQLite file of this machine. A body may contain codes, so it is kept only until it is forwarded.
import { existsSync } from 'node:fs'
import path from 'node:path'
import type { SQLInputValue } from 'node:sqlite'
import { builtin } from '../builtin.ts'
import { hasReached } from '../contract/states.ts'
import type { Headers } from '../contract/transport.ts'
import {
  formatSignedHead,
  readSecretKey,
  signatureHeaders,
  signatureScheme,
} from '../contract/webhook-signature.ts'
import { takeLock } from '../sqlite/lock.ts'
import { openDatabase, readDatabase, type Schema } from '../sqlite/open.ts'
import { createGroupRunner, createTransactionRunner } from '../sqlite/transactions.ts'

export type Delivery = {
  /** The values of a repeated header are joined, so that they match no signature. */
  readonly headers: Headers
  readonly body: Uint8Array
  /** When it was received, in milliseconds since the UNIX epoch. */
  readonly at: number
}

/** The id is the same in each attempt, so that the target recognises a duplicate. */
export const deliveryHeader = 'orderctl-delivery'

const longestId = 256
/** The largest difference between the signed time and the time here, as the libraries of the standard allow it. */
const toleranceMs = 5 * 60_000
const forwarded = /^(?:content-type|user-agent|webhook-.*|svix-.*)$/

/** The id that the sender gave to the delivery. It is the same in each attempt. */
export const readDeliveryId = ({ headers }: Delivery): string | null => {
  const id = readHeader(headers, signatureHeaders.id)?.trim() ?? ''
  return id === '' || id.length > longestId ? null : id
}

/** With an order that the service showed. */
export const createHeaders = (deliveryId: string | null): [string, string][] => [
  ['content-type', 'application/json'],
  ...(deliveryId === null ? [] : [[signatureHeaders.id, deliveryId] satisfies [string, string]]),
]

/** The headers that belong to the delivery, not to the connection. */
export const listForwardedHeaders = ({ headers }: Delivery): [string, string][] =>
  Object.entries(headers).filter(([name]) => forwarded.test(name))

/** Svix, the origin of Standard Webhooks, may use its own names. */
const readHeader = (headers: Headers, name: string): string | undefined =>
  headers[name] ?? headers[name.replace(/^webhook-/, 'svix-')]

/** Returns a function that returns why a delivery is refused, or undefined if the signature is valid. */
export const createSignatureCheck = (secret: string): ((delivery: Delivery) => string | undefined) => {
  const key = readSecretKey(secret)
  const { createHmac, timingSafeEqual } = builtin.crypto()
  return ({ headers, body, at }) => {
    const id = readHeader(headers, signatureHeaders.id)
    const timestamp = readHeader(headers, signatureHeaders.timestamp)
    const signatures = readHeader(headers, signatureHeaders.signature)
    if (!id || !timestamp || !signatures) return 'not signed'
    const hmac = createHmac('sha256', key).update(formatSignedHead(id, timestamp)).update(body)
    const expected = Buffer.from(signatureScheme + hmac.digest('base64'))
    // There may be several, for example while a secret is being replaced.
    const isSigned = signatures.split(' ').some((each) => {
      const given = Buffer.from(each)
      return given.length === expected.length && timingSafeEqual(given, expected)
    })
    // Checked before the time, so that a forged time reveals nothing.
    if (!isSigned) return 'wrong signature'
    const differenceMs = at - (/^\d{1,12}$/.test(timestamp) ? Number(timestamp) * 1000 : Number.NaN)
    if (Number.isNaN(differenceMs)) return 'no valid timestamp'
    if (differenceMs > toleranceMs) return 'signed more than 5 min ago'
    return differenceMs < -toleranceMs ? 'signed more than 5 min in the future' : undefined
  }
}

/** What comes next: the order is read from the service, then the delivery is forwarded. */
const phases = { check: 'checked IS NULL', forward: 'checked IS NOT NULL AND body IS NOT NULL' }

export type Phase = keyof typeof phases

const isOpen = '(checked IS NULL OR body IS NOT NULL)'

/**
 * Selects the order whose first delivery in the phase was due first. The later deliveries wait for the first one, so a
 * new one does not shorten the wait. None is forwarded while an earlier one waits for its next check.
 */
const selectDue = (phase: Phase): string => `SELECT order_id FROM deliveries
  WHERE account = $account AND is_own = $isOwn AND due <= $now AND ${phases[phase]}
    AND order_id NOT IN (SELECT value FROM json_each($except))
    AND NOT EXISTS (SELECT 1 FROM deliveries AS earlier WHERE earlier.account = deliveries.account
      AND earlier.order_id = deliveries.order_id AND earlier.number < deliveries.number
      AND earlier.${phase === 'check' ? 'checked IS NULL' : 'body IS NOT NULL'})
  ORDER BY due, number LIMIT 1`

export const schema: Schema = {
  name: 'file of webhooks',
  elsewhere: 'Set ORDERCTL_STATE_DIR to a different folder',
  loss: 'orderctl forgets the webhooks that it received, and forwards none of those that wait',
  applicationId: 0x6f72644c,
  version: 529912429,
  createSql: () => `
    CREATE TABLE deliveries (
      number INTEGER PRIMARY KEY,
      account TEXT NOT NULL,
      -- Includes the account. The target recognises a repetition by it.
      key TEXT NOT NULL UNIQUE,
      -- The id that the sender gave to the delivery.
      delivery_id TEXT,
      order_id TEXT NOT NULL,
      -- Whether the journal has the order.
      is_own INTEGER NOT NULL,
      -- The state that the delivery names.
      named_state TEXT,
      received INTEGER NOT NULL,
      -- In JSON, if the delivery is signed and not forwarded yet.
      headers TEXT,
      body BLOB,
      bytes INTEGER NOT NULL AS (coalesce(length(body), 0)) STORED,
      -- When the service responded, and the state of the order. The service does not know an order without a state.
      checked INTEGER,
      state TEXT,
      forwarded INTEGER,
      tries INTEGER NOT NULL DEFAULT 0,
      -- By the monotonic clock of the listener, which sets it to 0 at its start.
      due INTEGER NOT NULL DEFAULT 0,
      last_error TEXT
    ) STRICT;
    CREATE INDEX by_time ON deliveries (received);
    CREATE INDEX with_body ON deliveries (received, bytes) WHERE bytes > 0;
    CREATE INDEX by_order ON deliveries (account, order_id, number) WHERE ${isOpen};
    CREATE INDEX to_check ON deliveries (account, is_own, due, number) WHERE ${phases.check};
    CREATE INDEX to_forward ON deliveries (account, is_own, due, number) WHERE ${phases.forward};
  `,
}

export type StoredDelivery = {
  readonly number: number
  readonly account: string
  readonly key: string
  readonly deliveryId: string | null
  readonly orderId: string
  readonly isOwn: 0 | 1
  readonly namedState: string | null
  readonly received: number
  readonly headers: string | null
  readonly body: Uint8Array | null
  readonly tries: number
}

export type NewDelivery = Omit<StoredDelivery, 'number' | 'account' | 'tries'>

const stored = `number, account, key, delivery_id AS deliveryId, order_id AS orderId, is_own AS isOwn,
  named_state AS namedState, received, headers, body, tries`

const maxBytes = 64 * 1024 * 1024
const maxUnknown = 10_000
/** A locked file blocks the process, and senders wait for a response. */
const busyMs = 1_000
const pageSize = 1_000

const findFile = (folder: string): string => path.join(folder, 'listen.db')

const findLockFile = (folder: string, account: string): string => {
  const digest = builtin.crypto().createHash('sha256').update(account).digest('hex')
  return path.join(folder, `listen-${digest.slice(0, 12)}.lock`)
}

export type DeliveryTable = NonNullable<ReturnType<typeof openDeliveryTable>>

/** The deliveries of one account. Undefined if a different process uses them. */
export const openDeliveryTable = (folder: string, account: string) => {
  const database = openDatabase(findFile(folder), schema)
  const lock = takeLock(findLockFile(folder, account), busyMs)
  if (lock === undefined) return void database.close()
  // A deleted body is overwritten. Its copy in the log goes with the log.
  database.exec(`PRAGMA secure_delete = ON; PRAGMA busy_timeout = ${busyMs}`)
  const truncateLog = (): void => database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  const sql = database.createTagStore()
  const measureRoom = () =>
    sql.get`SELECT (SELECT coalesce(sum(bytes), 0) FROM deliveries WHERE bytes > 0) AS bytes,
      (SELECT count(*) FROM deliveries WHERE account = ${account} AND is_own = 0 AND checked IS NULL) AS unknown` as {
      bytes: number
      unknown: number
    }
  const write = createGroupRunner(createTransactionRunner(database), measureRoom)
  sql.run`UPDATE deliveries SET due = 0 WHERE account = ${account} AND (checked IS NULL OR body IS NOT NULL)`
  truncateLog()

  return {
    /** When this resolves, the delivery is on disk, unless there is no room. */
    insert: (
      delivery: NewDelivery,
    ): Promise<'new' | 'duplicate' | 'too many bytes' | 'too many unknown orders'> =>
      write((room) => {
        const { deliveryId, orderId, isOwn, namedState, received, headers, body } = delivery
        const find = (key: string) =>
          sql.get`SELECT number, checked, state FROM deliveries WHERE key = ${key}`
        let { key } = delivery
        for (let known = find(key); known !== undefined; known = find(key)) {
          const { number, checked, state } = known
          // The service may show soon what both deliveries name.
          if (checked === null) sql.run`UPDATE deliveries SET due = 0, tries = 0 WHERE key = ${key}`
          if (checked === null || namedState === null) return 'duplicate'
          if (state !== null && hasReached(String(state), namedState)) return 'duplicate'
          // The earlier one was forged, or came before the service showed its state.
          key = `${delivery.key}-${number}`
        }
        room.bytes += body?.length ?? 0
        room.unknown += 1 - isOwn
        if (body !== null && room.bytes > maxBytes) return 'too many bytes'
        if (isOwn === 0 && room.unknown > maxUnknown) return 'too many unknown orders'
        sql.run`
          INSERT INTO deliveries (account, key, delivery_id, order_id, is_own, named_state, received, headers, body)
          VALUES (${account}, ${key}, ${deliveryId}, ${orderId}, ${isOwn}, ${namedState}, ${received}, ${headers}, ${body})`
        return 'new'
      }),

    /**
     * Of the order that was due first: its last delivery to check, or its first one to forward. Orders of the journal come
     * before all others, so that no flood delays them.
     */
    findDue: (phase: Phase, now: number, exceptOrders: Iterable<string>): StoredDelivery | undefined => {
      const except = JSON.stringify([...exceptOrders])
      const statement = database.prepare(
        `SELECT ${stored} FROM deliveries
         WHERE account = $account AND order_id = (${selectDue(phase)}) AND ${phases[phase]}
         ORDER BY number ${phase === 'check' ? 'DESC' : 'ASC'} LIMIT 1`,
      )
      const find = (isOwn: 0 | 1) => statement.get({ account, isOwn, now, except })
      return (find(1) ?? find(0)) as StoredDelivery | undefined
    },

    /** Applies to all deliveries of the order in this phase. */
    postpone: (phase: Phase, orderId: string, due: number, tries: number, error: string): void => {
      const statement = database.prepare(
        `UPDATE deliveries SET due = ?, tries = ?, last_error = ? WHERE account = ? AND order_id = ? AND ${phases[phase]}`,
      )
      statement.run(Math.ceil(due), tries, error, account, orderId)
    },

    /**
     * Applies also to earlier deliveries of the order. `state`: null if the service does not know the order. `shown`: the
     * body to forward instead of an unsigned one. Null if there is none.
     */
    setChecked: (
      { orderId, number }: StoredDelivery,
      at: number,
      state: string | null,
      shown: Uint8Array | null,
    ): unknown =>
      sql.run`
        UPDATE deliveries SET checked = ${at}, state = ${state}, due = 0, tries = 0, last_error = NULL,
          body = CASE WHEN headers IS NOT NULL THEN body WHEN body IS NOT NULL THEN ${shown} END
        WHERE account = ${account} AND order_id = ${orderId} AND number <= ${number} AND checked IS NULL`,

    setForwarded: ({ number }: StoredDelivery, at: number): void => {
      sql.run`UPDATE deliveries SET forwarded = ${at}, headers = NULL, body = NULL WHERE number = ${number}`
      truncateLog()
    },

    /** Deletes bodies that wait since then, of all accounts. Returns their deliveries. */
    deleteBodies: (before: number): StoredDelivery[] => {
      const statement = database.prepare(
        `UPDATE deliveries INDEXED BY with_body SET headers = NULL, body = NULL
         WHERE bytes > 0 AND received < ? RETURNING ${stored}`,
      )
      const rows = statement.all(before) as StoredDelivery[]
      truncateLog()
      return rows
    },

    /** Deletes a page of old deliveries that need nothing more, of all accounts. Returns whether there may be more. */
    deletePage: (before: number): boolean =>
      sql.run`
        DELETE FROM deliveries WHERE number IN (SELECT number FROM deliveries
          WHERE received < ${before} AND NOT (checked IS NULL OR body IS NOT NULL)
          ORDER BY received LIMIT ${pageSize})`.changes === pageSize,

    [Symbol.dispose]: (): void => {
      database.close()
      lock.close()
    },
  }
}

export type ReceivedDelivery = Pick<StoredDelivery, 'key' | 'deliveryId' | 'orderId'> & {
  /** What the service showed. Null if the delivery was not checked. */
  readonly state: string | null
}

/** Deliveries whose orders the service knows, or may know. The oldest come first. */
export const listReceived = (folder: string, account: string, since: number): ReceivedDelivery[] =>
  readFile<ReceivedDelivery>(
    folder,
    `SELECT key, delivery_id AS deliveryId, order_id AS orderId, state FROM deliveries
     WHERE account = ? AND received >= ? AND (checked IS NULL OR state IS NOT NULL) ORDER BY number`,
    ...[account, since],
  )

/** What waits to be forwarded, and whether a listener runs. Creates nothing. */
export const readListenStatus = (folder: string, account: string) => {
  const lockFile = findLockFile(folder, account)
  const lock = existsSync(lockFile) ? takeLock(lockFile) : { close: () => {} }
  lock?.close()
  const none = { waiting: 0, bytes: 0, oldestAt: null as number | null, lastError: null as string | null }
  const [found = none] = readFile<typeof none>(
    folder,
    `SELECT count(body) AS waiting, coalesce(sum(bytes), 0) AS bytes, min(iif(body IS NULL, NULL, received)) AS oldestAt,
       (SELECT last_error FROM deliveries WHERE account = ? AND ${isOpen} ORDER BY due DESC LIMIT 1) AS lastError
     FROM deliveries WHERE account = ? AND ${isOpen}`,
    ...[account, account],
  )
  return { isListening: lock === undefined, file: findFile(folder), ...found }
}

/** Returns nothing if there is no file. */
const readFile = <Row>(folder: string, sql: string, ...values: SQLInputValue[]): Row[] => {
  const file = findFile(folder)
  if (!existsSync(file)) return []
  return readDatabase(file, schema, (database) => database.prepare(sql).all(...values) as Row[])
}
