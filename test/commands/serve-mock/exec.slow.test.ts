// serve-mock --exec: runs a command against the service, with a journal of its own, and ends with its exit code.
import { once } from 'node:events'
import { readdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { executable, folder, orderctl, type RunOptions } from '../../support/orderctl.ts'

/** Runs a program, or a script with Node. */
const exec = (command: string | readonly string[], options: RunOptions = {}, ...flags: string[]) => {
  const words = typeof command === 'string' ? [process.execPath, '-e', command] : command
  return orderctl(['serve-mock', ...flags, '--exec', '--', ...words], options)
}

test('runs a command against it and passes its exit code on', async () => {
  const { exit, stdout } = await exec(`
    const { request } = require('node:http')
    const { ORDERCTL_BASE_URL: url, ORDERCTL_API_KEY: key } = process.env
    request(url + '/order/get?orderId=none', { headers: { 'x-api-key': key } }, (response) => {
      console.log(response.statusCode, key)
      process.exitCode = 7
      response.resume()
    }).end()`)
  expect({ exit, stdout }).toEqual({ exit: 7, stdout: '404 sandbox\n' })
})

test('hides from the command what names another account', async () => {
  const names = ['ORDERCTL_PROFILE', 'ORDERCTL_AUTH', 'ORDERCTL_ACCOUNT']
  const env = Object.fromEntries(names.map((name) => [name, 'x']))
  const script = `console.log(${JSON.stringify(names)}.filter((name) => name in process.env).length)`
  expect(await exec(script, { env })).toMatchObject({ exit: 0, stdout: '0\n' })
})

const findFreePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}

describe('the journal of the command', () => {
  test.each<[string, string[], boolean, number]>([
    ['is new for each run, so a fixed port and a fixed reference work again', [], false, 0],
    ['is kept with --state, because the service knows the orders too', ['--state', 'shop.db'], false, 11],
    ['is in ORDERCTL_STATE_DIR if that is set', [], true, 11],
  ])('%s', async (_, flags, hasFolder, exit) => {
    const [cwd, state] = [folder(), folder()]
    const env = hasFolder ? { ORDERCTL_STATE_DIR: state } : {}
    const order = 'create --product GAME-US:25 --wallet USD --reference fixed --confirm'.split(' ')
    const more = ['--port', String(await findFreePort()), ...flags]
    const buy = () => exec([...executable, ...order], { cwd, env }, ...more)
    expect([(await buy()).exit, (await buy()).exit]).toEqual([0, exit])
    expect(readdirSync(state).includes('journal.db')).toBe(hasFolder)
  })

  test('is in a private folder that is removed, whether the command succeeds or not', async () => {
    const temporary = folder()
    const env = { TMPDIR: temporary }
    const script = `
      const { readdirSync, statSync, writeFileSync } = require('node:fs')
      const state = process.env.ORDERCTL_STATE_DIR
      writeFileSync(state + '/left', '')
      console.log(require('node:path').dirname(state) === process.env.TMPDIR, (statSync(state).mode & 0o777).toString(8))
      process.exitCode = 5`
    expect(await exec(script, { env })).toMatchObject({ exit: 5, stdout: 'true 700\n' })
    expect((await exec(['no-such-command'], { env })).exit).toBe(127)
    expect(readdirSync(temporary)).toEqual([])
  })
})

test.each([
  ['is not there', 127, 'command not found'],
  ['is not executable', 126, 'not executable'],
])('ends as a shell does for a command that %s', async (_why, exit, why) => {
  const command = exit === 127 ? 'no-such-command' : path.join(folder(), 'script')
  if (exit === 126) writeFileSync(command, '#!/bin/sh\n', { mode: 0o644 })
  const message = `cannot run ${command}: ${why}`
  const { stderr, ...ran } = await exec([command])
  expect(ran).toEqual({ exit, stdout: '' })
  expect(stderr).toMatch(new RegExp(`\nerror: ${message}\n$`))
  const json = await exec([command], {}, '--json')
  expect(JSON.parse(json.stderr.trimEnd().split('\n').at(-1) ?? '')).toEqual({
    error: { code: 'usage', reason: 'usage', message, field: '--exec', retryable: false },
  })
})
