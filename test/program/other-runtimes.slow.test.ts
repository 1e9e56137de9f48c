// A runtime such as Deno, which has neither a compile cache nor node:sea, and whose exec() of SQLite has no errcode.
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import { folder, start } from '../support/orderctl.ts'
import { order } from '../support/world.ts'

const hook = `
delete require('node:module').enableCompileCache
const { getBuiltinModule } = process
process.getBuiltinModule = (name) => (name === 'node:sea' ? undefined : getBuiltinModule(name))
const { DatabaseSync } = require('node:sqlite')
const { exec } = DatabaseSync.prototype
DatabaseSync.prototype.exec = function (sql) {
  try {
    return exec.call(this, sql)
  } catch (error) {
    delete error.errcode
    throw error
  }
}
`

const run = async (words: readonly string[], cwd = folder()) => {
  const file = path.join(cwd, 'hook.cjs')
  writeFileSync(file, hook)
  const { exitCode, stdout, stderr } = await start(words, { cwd, env: { NODE_OPTIONS: `--require ${file}` } })
  return { exit: exitCode, stdout, stderr }
}

// The standalone executable has its own Node, and reads its files with node:sea.
describe.skipIf(process.env.ORDERCTL_EXECUTABLE !== undefined)('without features of Node alone', () => {
  test('prints its version', async () => {
    expect(await run(['--version'])).toEqual({ exit: 0, stdout: `${packageJson.version}\n`, stderr: '' })
  })

  test('buys in the sandbox and lists the order', async () => {
    const cwd = folder()
    const words = [...order, '--confirm', '-q']
    const bought = await run(words, cwd)
    expect(bought).toMatchObject({ exit: 0, stderr: '' })
    expect((await run(['list', '-q'], cwd)).stdout).toBe(bought.stdout)
  })

  test('reads its own files, runs serve-mock and looks for problems', async () => {
    expect((await run(['completion', 'bash'])).stdout).toMatch(/^# orderctl: completion for bash/)
    expect((await run(['serve-mock', '--exec', '--', process.execPath, '-p', '1'])).stdout).toBe('1\n')
    expect((await run(['doctor', '--json'])).exit).toBe(0)
  })
})
