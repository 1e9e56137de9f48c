// Loaded into orderctl by --import, before its own code. Gives each step on files and sockets a name, before and after
// it. At the chosen step it kills the process or lets the step fail. It can also advance the clock.
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import net from 'node:net'
import path from 'node:path'
import process from 'node:process'
import { DatabaseSync, StatementSync } from 'node:sqlite'
import { wrapMethods } from '../support/wrap-methods.ts'

/** The error of the system, and SQLite's error for it. */
const faults = {
  ENOSPC: { errno: -28, errcode: 13, said: 'database or disk is full' },
  EIO: { errno: -5, errcode: 778, said: 'disk I/O error' },
  EACCES: { errno: -13, errcode: 14, said: 'unable to open database file' },
  EROFS: { errno: -30, errcode: 8, said: 'attempt to write a readonly database' },
} as const

export type Harm = 'SIGKILL' | keyof typeof faults

const { CRASH_AT: target, CRASH_HOW: harm = 'SIGKILL', CRASH_POINTS: listFile } = process.env
const aheadMs = Number(process.env.CRASH_AHEAD_MS ?? 0)
const stateFolder = process.env.ORDERCTL_STATE_DIR ?? ''

type Layer = 'fs' | 'sqlite' | 'socket'

const failureOf = (layer: Layer, code: keyof typeof faults): Error => {
  const { errno, errcode, said } = faults[code]
  return layer === 'sqlite'
    ? Object.assign(new Error(said), { code: 'ERR_SQLITE_ERROR', errcode, errstr: said })
    : Object.assign(new Error(`${code}: put here by a test`), { code, errno, syscall: 'open' })
}

const reached: string[] = []
const counts = new Map<string, number>()

const reach = (layer: Layer, name: string): void => {
  if (listFile !== undefined) reached.push(name)
  if (name !== target) return
  if (harm === 'SIGKILL') process.kill(process.pid, 'SIGKILL')
  else throw failureOf(layer, harm as keyof typeof faults)
}

const numbered = (what: string): string => {
  const count = (counts.get(what) ?? 0) + 1
  counts.set(what, count)
  return `${what} #${count}`
}

const step = <Result>(layer: Layer, what: string, work: () => Result): Result => {
  const name = `${layer}: ${numbered(what)}`
  reach(layer, `${name} before`)
  const result = work()
  reach(layer, `${name} after`)
  return result
}

/** The beginning of a statement, enough to recognise it. */
const brief = (sql: string): string => sql.replace(/\s+/g, ' ').trim().slice(0, 48).trim()

wrapMethods(DatabaseSync.prototype, ['exec'], (call, _self, [sql]) => step('sqlite', brief(sql), call))
wrapMethods(DatabaseSync.prototype, ['close'], (call) =>
  // A close that fails is not reported by SQLite, so only kills apply here.
  harm === 'SIGKILL' ? step('sqlite', 'close', call) : call(),
)
wrapMethods(StatementSync.prototype, ['run', 'get', 'all'], (call, self) =>
  step('sqlite', brief(self.sourceSQL), call),
)

/** Without the random id of a journal, so that a step has the same name in each run. */
const nameFile = (file: string): string => path.basename(file).replace(/[\da-f]{32}/, 'id')

const ours = new Map<number, string>()
const isOurs = (file: unknown): file is string => typeof file === 'string' && file.startsWith(stateFolder)
wrapMethods(fs, ['openSync', 'mkdirSync'], (call, _self, [file], name) => {
  if (!isOurs(file)) return call()
  const result = step('fs', `${name} ${nameFile(file)}`, call)
  if (name === 'openSync') ours.set(result, nameFile(file))
  return result
})
wrapMethods(fs, ['fstatSync', 'closeSync'], (call, _self, [descriptor], name) => {
  const file = ours.get(descriptor)
  if (file === undefined) return call()
  if (name === 'closeSync') ours.delete(descriptor)
  return step('fs', `${name} ${file}`, call)
})

// Standard output and error are also sockets. Only they have a file descriptor.
const streams = new Map([
  [1, 'stdout'],
  [2, 'stderr'],
])
wrapMethods(net.Socket.prototype, ['connect', 'write'], (call, self, _given, name) =>
  step('socket', `${streams.get(self.fd) ?? 'request'} ${name}`, call),
)
wrapMethods(net.Socket.prototype, ['read'], (call) => {
  const chunk = call()
  if (chunk !== null) reach('socket', `socket: ${numbered('response read')} after`)
  return chunk
})
syncBuiltinESMExports()

const realNow = Date.now
Date.now = () => realNow() + aheadMs

process.on('exit', () => {
  reach('socket', 'exit')
  if (listFile !== undefined) fs.writeFileSync(listFile, reached.join('\n'))
})
