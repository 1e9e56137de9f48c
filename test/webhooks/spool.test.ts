// The spool of deliveries and its lock.
import { existsSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import type { Delivery } from '../../src/webhooks/delivery.ts'
import { openSpool } from '../../src/webhooks/spool.ts'
import { isSpoolLocked, lockSpool } from '../../src/webhooks/spool-lock.ts'
import { nameSpool } from '../../src/webhooks/spool-name.ts'
import { folder } from '../support/orderctl.ts'

const createDelivery = (at: number): Delivery => ({
  headers: [
    ['webhook-id', 'msg_1'],
    ['content-type', 'text/plain; charset="ü"'],
  ],
  body: new Uint8Array([10, 0, 255, 123, 10]),
  at,
})
const facts = { receipt: 'receipt-1', orderId: 'ord_1', deliveryId: 'msg_1', state: undefined }

test('keeps the bytes of a delivery, readable only by its owner', () => {
  const spool = openSpool(path.join(folder(), 'a', 'b'))
  expect(spool.listWithDamaged()).toEqual({ files: [], damaged: [] })
  const delivery = createDelivery(5)
  const saved = spool.save(facts, delivery)
  expect(spool.list()).toEqual([saved])
  const read = spool.read(saved)
  expect({ ...read, body: new Uint8Array(read?.body ?? []) }).toEqual(delivery)
  expect(statSync(saved.path).mode & 0o777).toBe(0o600)
  expect(statSync(saved.path).size).toBe(saved.bytes)
  expect(statSync(spool.folder).mode & 0o777).toBe(0o700)
  expect(path.basename(saved.path)).not.toContain('ord_1')
  spool.remove(saved)
  spool.remove(saved)
  expect([spool.list(), spool.read(saved)]).toEqual([[], undefined])
})

test('lists the oldest first', () => {
  const spool = openSpool(folder())
  for (const at of [900, 1_000, 20]) spool.save({ ...facts, receipt: `r${at}` }, createDelivery(at))
  expect(spool.list().map(({ receipt }) => receipt)).toEqual(['r20', 'r900', 'r1000'])
  expect(spool.listReceipts()).toEqual(['r20', 'r900', 'r1000'])
})

test('names damaged files and reads the others', () => {
  const spool = openSpool(folder())
  const [whole, cut] = [1, 2].map((at) => spool.save({ ...facts, receipt: `r${at}` }, createDelivery(at)))
  truncateSync(cut?.path ?? '', 20)
  writeFileSync(path.join(spool.folder, 'x.delivery'), 'null\n')
  writeFileSync(path.join(spool.folder, '.y.new'), 'half')
  expect(spool.list()).toEqual([whole])
  const damaged = [cut?.path, path.join(spool.folder, 'x.delivery')]
  expect(spool.listWithDamaged()).toEqual({ files: [whole], damaged })
  spool.removeUnfinished()
  expect(existsSync(path.join(spool.folder, '.y.new'))).toBe(false)
  expect(spool.listWithDamaged().damaged).toEqual(damaged)
})

test('remembers the last error', () => {
  const spool = openSpool(folder())
  expect(spool.readError()).toBeUndefined()
  const error = { at: 5, reason: 'HTTP 503', tries: 2 }
  spool.noteError(error)
  expect(spool.readError()).toEqual(error)
  spool.clearError()
  expect(spool.readError()).toBeUndefined()
})

test('has one folder for each account', () => {
  const names = [
    { address: 'shop.example' },
    { address: 'shop.example', name: 'eu' },
    { address: 'shop.example/eu' },
    { address: 'shop.example_eu' },
    { address: `shop.example/${'x'.repeat(5_000)}` },
  ].map(nameSpool)
  expect(new Set(names).size).toBe(names.length)
  expect(Math.max(...names.map(({ length }) => length))).toBeLessThan(100)
})

test('is locked by one listener at a time', () => {
  const place = folder()
  expect(isSpoolLocked(place)).toBe(false)
  const lock = lockSpool(place)
  expect(lock).toBeDefined()
  expect(isSpoolLocked(place)).toBe(true)
  expect(lockSpool(place)).toBeUndefined()
  lock?.release()
  expect(isSpoolLocked(place)).toBe(false)
  lockSpool(place)?.release()
})
