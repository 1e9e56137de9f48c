// Traces the writes of a run with strace, or changes the results of its file locks.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

export const cannotTrace = ((): string | false => {
  try {
    execFileSync('strace', ['-o', '/dev/null', 'true'], { stdio: 'ignore' })
    return false
  } catch {
    return 'strace is not installed or not permitted'
  }
})()

const strace = (to: string, ...flags: string[]): string[] => ['strace', '-f', '-qq', '-o', to, ...flags]

/** Changes the result of each file lock that a process takes on this SQLite file. */
export const disturbLocks = (file: string, how: string): string[] =>
  strace('/dev/null', `--inject=fcntl:${how}`, '-P', file, '-P', `${file}-shm`)

/** The strace command that records writes, syncs and sent bytes in their order. */
export const traceWrites = (to: string): string[] =>
  strace(to, '-yy', '-s', '12', '--trace=pwrite64,fsync,fdatasync,write,writev,sendto,sendmsg')

const onJournal = /^\d+ +(\w+)\(\d+<[^>]*journal\.db(?:-wal)?>/
const toService = /^\d+ +(?:write|writev|sendto|sendmsg)\(\d+<TCP:.*"(POST|PUT) /

/** Each create and confirm, and whether all earlier writes to the journal were synced. */
export const readSentRequests = (from: string): { readonly method: string; readonly isOnDisk: boolean }[] => {
  const sent: { method: string; isOnDisk: boolean }[] = []
  let isOnDisk = false
  for (const line of readFileSync(from, 'utf8').split('\n')) {
    const [, call] = onJournal.exec(line) ?? []
    const [, method] = toService.exec(line) ?? []
    if (call !== undefined) isOnDisk = call !== 'pwrite64'
    if (method !== undefined) sent.push({ method, isOnDisk })
  }
  return sent
}

/** How often the run waited for the disk to write a file of the state folder. */
export const countSyncs = (from: string, file: 'journal.db' | 'machine.db'): number =>
  readFileSync(from, 'utf8').match(new RegExp(`\\bf(data)?sync\\(\\d+<[^>]*/${file}`, 'g'))?.length ?? 0
