// Plain prompts on a terminal in memory, for timing that tests on a real terminal hit only by chance.
import { PassThrough, Writable } from 'node:stream'
import { expect, test } from 'vitest'
import { askPlainly } from '../../../src/ui/prompts/ask-plainly.ts'

test('the prompt for a secret appears after echo is off', async () => {
  const happened: string[] = []
  const input = Object.assign(new PassThrough(), {
    setRawMode: (isRaw: boolean) => happened.push(isRaw ? 'echoes nothing' : 'echoes'),
  })
  const output = new Writable({
    decodeStrings: false,
    write: (text: string, _encoding, done) => {
      happened.push(text)
      if (text === 'Key: ') input.write('canary-key-1\r')
      done()
    },
  })
  const asked = askPlainly({ input, output, signal: new AbortController().signal }).secret('Key')
  expect(await asked).toBe('canary-key-1')
  expect(happened).toEqual(['echoes nothing', 'Key: ', 'echoes', '\n'])
})
