// Log lines for a reader that is slow or has stalled.
import { expect, test } from 'vitest'
import { lineBuffer, renderDropped } from '../../../src/ui/terminal/line-buffer.ts'
import { createManualClock } from '../../support/manual-clock.ts'
import { turnEventLoop } from '../../support/wait-until.ts'

/** A reader that takes so many bytes each time that something is offered. */
const reading = (bytes: number) => {
  const clock = createManualClock()
  const reader = { bytes, text: '' }
  const decoder = new TextDecoder()
  const offer = (offered: Uint8Array): number => {
    const taken = offered.subarray(0, reader.bytes)
    reader.text += decoder.decode(taken, { stream: true })
    return taken.length
  }
  const lines = lineBuffer({ offer }, clock, renderDropped)
  const passes = async (ms: number): Promise<void> => {
    for (let passed = 0; passed < ms; passed += 20) {
      clock.advance(20)
      await turnEventLoop()
    }
  }
  return { ...lines, clock, reader, passes }
}

const kilobyte = `${'x'.repeat(1_023)}\n`

test('lines keep their order, in parts or at once', async () => {
  for (const bytes of [3, 1_000]) {
    const log = reading(bytes)
    for (const line of ['one\n', 'two\n', 'three\n']) log.write(line)
    expect(log.reader.text).toBe('')
    await log.passes(200)
    expect(log.reader.text).toBe('one\ntwo\nthree\n')
    expect(log.clock.sleepers.size).toBe(0)
  }
})

test('a megabyte of unread lines is kept, then the number of dropped lines is reported', async () => {
  const log = reading(0)
  for (let count = 0; count < 1_500; count += 1) log.write(kilobyte)
  await log.passes(100)
  log.reader.bytes = 10_000_000
  await log.passes(100)
  expect(log.reader.text).toBe(`${kilobyte.repeat(1_024)}… 476 lines were dropped: the reader stalled\n`)
  log.write('on\n')
  await log.passes(20)
  expect(log.reader.text.endsWith('stalled\non\n')).toBe(true)
})

test('at the end an active reader gets all lines, and a stalled one delays the end by a second', async () => {
  for (const text of ['the last line\n', '']) {
    const log = reading(text === '' ? 0 : 3)
    log.write('the last line\n')
    let hasEnded = false
    void log.end().then(() => {
      hasEnded = true
    })
    await log.passes(980)
    expect([hasEnded, log.reader.text]).toEqual([text !== '', text])
    await log.passes(60)
    expect([hasEnded, log.clock.sleepers.size]).toEqual([true, 0])
  }
})
