// Loaded into orderctl by --import. Crashes it, or makes calls fail, while it holds a secret.
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import process from 'node:process'

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

const { decode } = TextDecoder.prototype
TextDecoder.prototype.decode = function (...given) {
  const text = decode.apply(this, given)
  if (text.includes('redeemCardCode')) end?.()
  return text
}

const { stringify } = JSON
if (harm === 'defect') {
  JSON.stringify = (...given: unknown[]) => {
    const text = stringify(...(given as Parameters<typeof stringify>))
    if (text.includes('redeemCardCode')) throw new TypeError('put here by a test')
    return text
  }
}
