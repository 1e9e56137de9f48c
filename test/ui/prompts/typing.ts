// A terminal in memory that types after expected output, and collects all output.
import { PassThrough } from 'node:stream'
import { stripVTControlCharacters } from 'node:util'
import type { Terminal } from '../../../src/ui/prompts/terminal.ts'
import { waitUntil } from '../../support/wait-until.ts'

/** Asks, and types each part once its mark is drawn after the part before. */
export const typing = async <Value>(
  ask: (terminal: Terminal) => Promise<Value>,
  ...parts: readonly (readonly [mark: string, typed: string | AbortController])[]
) => {
  const [input, output] = [new PassThrough(), new PassThrough({ encoding: 'utf8' })]
  const signal = parts.find(([, typed]) => typed instanceof AbortController)?.[1] as
    | AbortController
    | undefined
  let drawn = ''
  output.on('data', (more: string) => {
    drawn += more
  })
  const text = (): string => stripVTControlCharacters(drawn)
  const answer = ask({ input, output, signal: (signal ?? new AbortController()).signal })
  let from = 0
  for (const [mark, typed] of parts) {
    await waitUntil(() => text().slice(from).includes(mark))
    from = text().length
    if (typed instanceof AbortController) typed.abort('SIGTERM')
    else if (typed === '') input.end()
    else input.write(typed)
  }
  return { value: await answer, text: text(), raw: drawn }
}
