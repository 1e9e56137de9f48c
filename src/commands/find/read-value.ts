// Reads the code that find looks for, from a prompt or standard input. No error repeats it.
import type { Context } from '../../context.ts'
import { Failure, type Fix, interruption } from '../../errors.ts'
import { createEndMatcher, createMatcher, type Matcher } from '../../operations/search-orders.ts'
import { maskSecret } from '../../ui/masking/mask-codes.ts'
import { canPrompt } from '../shared/options.ts'
import { readInput } from '../shared/read-input.ts'
import type { FindOptions } from './spec.ts'

const inputFix: Fix = (suggest) => `Read it from a file: ${suggest`find`} < code.txt`

/** Throws if no value can be read. */
export const ensureReadable = (context: Context, { noInput, lastFour }: FindOptions): void => {
  if (lastFour !== undefined || !context.stdin.isTerminal || canPrompt(context, { noInput })) return
  throw new Failure('usage', 'find reads the code from a prompt, and cannot prompt here', { fix: inputFix })
}

export const readMatcher = async (context: Context, { lastFour }: FindOptions): Promise<Matcher> => {
  if (lastFour !== undefined) return createEndMatcher(lastFour, maskSecret)
  const value = context.stdin.isTerminal ? await ask(context) : await readLine(context)
  const matcher = createMatcher(value)
  if (matcher !== undefined) return matcher
  throw new Failure('usage', 'there is no letter or digit to find', {
    fix: 'Give a code, PIN, serial number or link.',
  })
}

const ask = async ({ promptSecret, interrupted }: Context): Promise<string> => {
  const value = await promptSecret('Code, PIN, serial number or link (not shown)')
  if (value === undefined) throw interruption(interrupted, 'cancelled; the service was not asked')
  return value
}

const maxLength = 4_096

const readLine = async (context: Context): Promise<string> => {
  const bytes = await readInput(context, '-', 'the code')
  const lines = decode(bytes)
    .split(/\r\n|[\r\n]/)
    .filter((line) => line.trim() !== '')
  const [only = ''] = lines
  if (lines.length > 1) {
    throw new Failure('usage', `standard input has ${lines.length} lines, but find takes one value`, {
      fix: inputFix,
    })
  }
  if (only.length > maxLength) {
    throw new Failure('usage', `the value is longer than ${maxLength} characters`, { fix: inputFix })
  }
  return only
}

const decode = (bytes: Uint8Array): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new Failure('usage', 'standard input is not valid UTF-8', { fix: inputFix })
  }
}
