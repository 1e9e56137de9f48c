// What ends the reading of standard input: its end, Ctrl-C, or an error.
import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { readInput } from '../../src/app/read-input.ts'
import type { Context } from '../../src/context.ts'

/** Reads standard input as src/main.ts does, while something happens to it. */
const readWhile = async (happens: (stdin: PassThrough, interruption: AbortController) => void) => {
  const stdin = new PassThrough()
  const interruption = new AbortController()
  const { signal: interrupted } = interruption
  const read = async (): Promise<Buffer> => Buffer.concat(await stdin.toArray({ signal: interrupted }))
  const context = { stdin: { isTerminal: false, read }, interrupted } as unknown as Context
  const reading = readInput(context, '-', 'the order')
  stdin.write('{')
  happens(stdin, interruption)
  return reading
}

test('its end gives what was read', async () => {
  expect(String(await readWhile((stdin) => stdin.end('}')))).toBe('{}')
})

test('Ctrl-C sends nothing', async () => {
  const reading = readWhile((_, interruption) => interruption.abort('SIGINT'))
  await expect(reading).rejects.toMatchObject({
    kind: 'interrupted',
    message: 'interrupted; nothing was sent',
  })
})

test('an error is reported as it is', async () => {
  await expect(readWhile((stdin) => stdin.destroy(new Error('EIO')))).rejects.toThrow('EIO')
})
