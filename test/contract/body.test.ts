// A body in chunks is copied into one buffer, so that its chunks keep no memory.
import { expect, test } from 'vitest'
import { createBody } from '../../src/contract/transport.ts'

test.each([[[]], [['abc']], [['a', 'b', 'c']], [['ab', '', 'cdefgh', 'i']], [['', 'a']]])(
  '%j is joined',
  (chunks) => {
    const body = createBody(9)
    for (const chunk of chunks) expect(body.add(Buffer.from(chunk))).toBe(true)
    const bytes = body.read()
    expect(bytes && Buffer.from(bytes).toString()).toBe(chunks.length === 0 ? undefined : chunks.join(''))
  },
)

test('small chunks of large buffers keep none of them, and the body takes at most twice its size', () => {
  const body = createBody(5_000)
  const read = Buffer.alloc(65_536, 'x')
  for (let at = 0; at < 3_000; at += 1) body.add(read.subarray(at, at + 1))
  read.fill('y')
  const bytes = body.read()
  expect(Buffer.from(bytes ?? []).toString()).toBe('x'.repeat(3_000))
  expect(bytes?.buffer.byteLength).toBeLessThanOrEqual(2 * 3_000)
})

test('a chunk that makes the body too large is dropped', () => {
  const body = createBody(3)
  expect(['ab', 'cd', 'c'].map((chunk) => body.add(Buffer.from(chunk)))).toEqual([true, false, true])
  expect(body.add(Buffer.from('d'))).toBe(false)
  expect(Buffer.from(body.read() ?? []).toString()).toBe('abc')
  expect(createBody(3).add(Buffer.from('abcd'))).toBe(false)
})
