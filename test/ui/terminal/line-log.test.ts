// A log whose reader may stall.
import { expect, test } from 'vitest'
import { createLineLog, describeDroppedLines } from '../../../src/ui/terminal/line-log.ts'
import { createManualClock } from '../../support/manual-clock.ts'
import { turnEventLoop } from '../../support/wait-until.ts'

/** `room`: how many bytes the reader accepts. */
const open = (room: number) => {
  const reader = { room, text: '' }
  const clock = createManualClock()
  const offer = (bytes: Uint8Array): number => {
    const taken = bytes.subarray(0, reader.room)
    reader.room -= taken.length
    reader.text += Buffer.from(taken).toString()
    return taken.length
  }
  const pass = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += 20) {
      clock.advance(20)
      await turnEventLoop()
    }
  }
  return { reader, pass, ...createLineLog({ offer }, clock, describeDroppedLines) }
}

test('a line is completed when the reader goes on, and none is changed', async () => {
  const { reader, write, pass } = open(3)
  write('one\n')
  write('two\n')
  expect(reader.text).toBe('one')
  reader.room = 100
  await pass(20)
  expect(reader.text).toBe('one\ntwo\n')
})

test('about a megabyte waits for a reader that stalls, and one notice takes the place of the rest', async () => {
  const { reader, write, pass } = open(0)
  const kilobyte = `${'x'.repeat(1_023)}\n`
  for (let count = 0; count < 1_500; count += 1) write(kilobyte)
  reader.room = Number.POSITIVE_INFINITY
  await pass(20)
  write('next\n')
  await pass(20)
  const notice = '… 475 lines were dropped: the reader stalled\n'
  expect(reader.text).toBe(`${kilobyte.repeat(1_025)}${notice}next\n`)
})

test('the end waits a second for the reader, and no longer', async () => {
  const { reader, write, end, pass } = open(0)
  write('last\n')
  let isEnded = false
  const ended = end().then(() => {
    isEnded = true
  })
  await pass(900)
  expect(isEnded).toBe(false)
  await pass(200)
  await ended
  reader.room = 100
  await pass(20)
  expect(reader.text).toBe('')
})
