// The table of deliveries: what is due, what is kept, and what is left of a body that was deleted.
import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import {
  listReceived,
  type NewDelivery,
  openDeliveryTable,
  readListenStatus,
} from '../../src/webhooks/deliveries.ts'
import { isAllRun } from '../support/cases.ts'
import { folder } from '../support/orderctl.ts'

const account = 'shop.example'

const open = (place = folder(), of = account) => {
  const table = openDeliveryTable(place, of)
  if (table === undefined) throw new Error('the table is locked')
  let isOpen = true
  const close = (): void => {
    if (isOpen) table[Symbol.dispose]()
    isOpen = false
  }
  onTestFinished(close)
  const insert = (key: string, fields: Partial<NewDelivery> = {}) =>
    table.insert({
      ...{ key, deliveryId: key, orderId: `ord_${key}`, isOwn: 0, namedState: null, received: 1_000 },
      ...{ headers: null, body: null, ...fields },
    })
  const take = (phase: 'check' | 'forward', now = 0, except: string[] = []) =>
    table.findDue(phase, now, except)
  const check = (state: string | null = 'successful') => {
    const due = take('check')
    if (due !== undefined) table.setChecked(due, 5_000, state, null)
    return due?.key
  }
  return { ...table, place, insert, take, check, close }
}

const contentOf = (text: string) => ({ headers: '[]', body: Buffer.from(text) })

test('records a delivery once, and per account by its key', async () => {
  const { insert, place, close, check } = open()
  const results = await Promise.all(['a', 'a', 'b', 'b'].map((key) => insert(key)))
  expect(results).toEqual(['new', 'duplicate', 'new', 'duplicate'])
  expect([check(), check(), check()]).toEqual(['a', 'b', undefined])
  close()
  expect(await open(place).insert('a')).toBe('duplicate')
})

test.each([
  ['successful', 'processing', 'new'],
  ['successful', null, 'new'],
  ['successful', 'successful', 'duplicate'],
  ['failed', 'successful', 'new'],
  ['confirmed', 'confirmed', 'duplicate'],
  ['confirmed', 'successful', 'duplicate'],
  ['confirmed', null, 'new'],
  [null, 'confirmed', 'duplicate'],
])('a delivery that names %s again, of an order that was %s, is %s', async (namedState, shown, result) => {
  const { insert, check, take } = open()
  await insert('a', { namedState: 'confirmed' })
  check(shown)
  expect(await insert('a', { namedState })).toBe(result)
  expect(take('check')?.key).toBe(result === 'new' ? 'a-1' : undefined)
})

test('a body is readable only by its owner, and nothing of it is left when it is deleted', async () => {
  const { insert, take, check, setForwarded, deleteBodies, place } = open()
  const codes = Array.from({ length: 60 }, () => randomUUID())
  for (const [index, code] of codes.entries()) {
    const text = `${code}${'x'.repeat((index * 97) % 6_000)}${code}`
    await insert(`k${index}`, { ...contentOf(text), received: index })
  }
  const findCodes = () => {
    const files = readdirSync(place).map((name) => path.join(place, name))
    const bytes = files.map((file) => readFileSync(file, 'latin1')).join('')
    expect(new Set(files.map((file) => statSync(file).mode & 0o777))).toEqual(new Set([0o600]))
    return codes.filter((code) => bytes.includes(code)).length
  }
  expect(findCodes()).toBe(60)
  for (let count = 0; count < 60; count += 1) check()
  for (let count = 0; count < 40; count += 1) {
    const due = take('forward')
    if (due !== undefined) setForwarded(due, 6_000)
  }
  expect(findCodes()).toBe(20)
  expect(deleteBodies(50).map(({ orderId }) => orderId)).toHaveLength(10)
  expect(findCodes()).toBe(10)
  deleteBodies(60)
  expect([findCodes(), take('forward')]).toEqual([0, undefined])
})

test.runIf(isAllRun)('keeps 64 MiB of bodies at most, also of other accounts', async () => {
  const { insert, place, check, take, setForwarded } = open()
  const content = { headers: '[]', body: Buffer.alloc(8 * 1024 * 1024) }
  const results = await Promise.all(Array.from({ length: 9 }, (_, index) => insert(`k${index}`, content)))
  expect(results).toEqual([...Array.from({ length: 8 }, () => 'new'), 'too many bytes'])
  expect(await open(place, 'other.example').insert('other', content)).toBe('too many bytes')
  expect(await insert('without body')).toBe('new')
  while (check() !== undefined);
  const due = take('forward')
  if (due !== undefined) setForwarded(due, 6_000)
  expect(await insert('k9', content)).toBe('new')
})

test('one process uses the deliveries of an account, and others read them', async () => {
  const { place, insert, check, postpone, close } = open()
  expect(openDeliveryTable(place, account)).toBeUndefined()
  expect(await open(place, 'other.example').insert('o')).toBe('new')
  const idle = { isListening: false, waiting: 0, lastError: null }
  expect(readListenStatus(folder(), account)).toMatchObject(idle)
  await insert('a', { received: 7, ...contentOf('12345') })
  await insert('gone', { received: 8 })
  check()
  check(null)
  postpone('forward', 'ord_a', 1_000, 1, 'HTTP 503')
  const waiting = { waiting: 1, bytes: 5, oldestAt: 7, lastError: 'HTTP 503' }
  expect(readListenStatus(place, account)).toMatchObject({ isListening: true, ...waiting })
  expect(listReceived(place, account, 7)).toEqual([
    { key: 'a', deliveryId: 'a', orderId: 'ord_a', state: 'successful' },
  ])
  expect(listReceived(place, account, 8)).toEqual([])
  close()
  expect(readListenStatus(place, account)).toMatchObject({ isListening: false, ...waiting })
  // A new process tries at once.
  expect(open(place).take('forward')?.key).toBe('a')
})
