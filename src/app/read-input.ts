// Reads a file that a flag or an argument names, or standard input for `-`. Ends at a limit, and at a signal.
import { constants, createReadStream, fstatSync, openSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { builtin } from '../builtin.ts'
import type { Context } from '../context.ts'
import { jsonLimits } from '../contract/json.ts'
import { Failure, interruption } from '../errors.ts'
import { getErrorReason } from '../files.ts'

type Limit = { readonly maxBytes: number; readonly advice?: string }

const mebibyte = 1024 ** 2
/** For 100,000 rows or products of 600 bytes. */
export const largeFile = { ...jsonLimits, maxBytes: 64 * mebibyte }

export const readInput = async (
  { stdin, interrupted, absolute }: Context,
  file: string,
  what: string,
  { maxBytes, advice = 'Use a smaller file.' }: Limit = { maxBytes: mebibyte },
): Promise<Uint8Array> => {
  const isStandard = file === '-'
  const fail = (problem: string, details: object): Failure => {
    const from = isStandard ? 'standard input' : file
    return new Failure('usage', `cannot read ${what} from ${from}: ${problem}`, details)
  }
  if (isStandard && stdin.isTerminal)
    throw fail('it is a terminal', { advice: `Pipe ${what} to the command, or pass a file.` })
  try {
    const stream = isStandard ? stdin.stream() : openFile(absolute(file))
    const stop = () => stream.destroy(interruption(interrupted, 'interrupted; nothing was sent'))
    if (interrupted.aborted) stop()
    interrupted.addEventListener('abort', stop)
    const chunks: Uint8Array[] = []
    let size = 0
    for await (const chunk of stream) {
      size += chunk.length
      if (size > maxBytes) throw fail(`it is larger than ${maxBytes / mebibyte} MiB`, { field: file, advice })
      chunks.push(chunk)
    }
    return Buffer.concat(chunks)
  } catch (error) {
    if (isStandard || error instanceof Failure) throw error
    throw fail(getErrorReason(error), { field: file, cause: error })
  }
}

/** A pipe without a writer, or a terminal, would block a thread of Node until after the signal. */
const openFile = (file: string): Readable => {
  const descriptor = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  return fstatSync(descriptor).isFIFO()
    ? new (builtin.net().Socket)({ fd: descriptor })
    : createReadStream(file, { fd: descriptor })
}
