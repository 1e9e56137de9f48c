// Loaded into orderctl by --import. Crashes it, or makes calls fail, while it holds a secret.
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import process from 'node:process'
import { wrapMethods } from '../support/wrap-methods.ts'

const { SECRETS_HARM: harm } = process.env

const full = (): never => {
  throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC', errno: -28 })
}
const killed = (): void => void process.kill(process.pid, 'SIGKILL')

if (harm === 'full disk') fs.writeFileSync = full
if (harm === 'killed at fsync') fs.fsyncSync = killed
syncBuiltinESMExports()

const ends: Readonly<Record<string, () => void>> = {
  uncaught: () =>
    void setImmediate(() => {
      throw new TypeError('put here by a test')
    }),
  'out of memory': () => {
    const held: unknown[] = []
    for (;;) held.push(Array.from({ length: 100_000 }, () => ({ held })))
  },
  aborted: () => process.abort(),
  killed,
  interrupted: () => void process.kill(process.pid, 'SIGINT'),
}
const end = ends[harm ?? '']

wrapMethods(TextDecoder.prototype, ['decode'], (call) => {
  const text = call()
  if (text.includes('redeemCardCode')) end?.()
  return text
})

if (harm === 'defect')
  wrapMethods(JSON, ['stringify'], (call) => {
    const text = call()
    if (text.includes('redeemCardCode')) throw new TypeError('put here by a test')
    return text
  })
