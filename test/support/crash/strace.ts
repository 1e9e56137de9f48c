// The system calls of a run on the files of its journal, one of them disturbed: by strace, where there is one.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'

export const cannotTrace = ((): string | false => {
  try {
    execFileSync('strace', ['-o', '/dev/null', 'true'], { stdio: 'ignore' })
    return false
  } catch {
    return 'strace is not here, or may not trace'
  }
})()

const files = ['journal.db', 'journal.db-wal', 'journal.db-shm', 'journal.db-journal']

const onFilesOf = (state: string): string[] =>
  ['-P', state].concat(files.flatMap((file) => ['-P', path.join(state, file)]))

export type Call = { readonly call: string; readonly nth: number }

/** The command to run it under, to have them listed. */
export const listing = (state: string, to: string): string[] => [
  ...['strace', '-f', '-qq', '-o', to],
  ...onFilesOf(state),
]

/** Only of the thread that has most of them: they are counted by the thread. */
export const listed = (from: string): Call[] => {
  const lines = readFileSync(from, 'utf8').matchAll(/^(\d+) +(\w+)\(/gm)
  const calls = [...lines].map(([, thread = '', call = '']) => ({ thread, call }))
  const main = calls[0]?.thread
  const counts = new Map<string, number>()
  return calls
    .filter(({ thread }) => thread === main)
    .map(({ call }) => {
      const nth = (counts.get(call) ?? 0) + 1
      counts.set(call, nth)
      return { call, nth }
    })
}

/** How: `error=EIO`, `signal=SIGKILL`, `retval=0`. */
export const disturbing = (state: string, { call, nth }: Call, how: string): string[] => [
  ...['strace', '-f', '-qq', '-o', '/dev/null', `--inject=${call}:${how}:when=${nth}`],
  ...onFilesOf(state),
]
