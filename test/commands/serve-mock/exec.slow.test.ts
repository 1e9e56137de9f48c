// serve-mock --exec: runs a command against the service, with a journal of its own, and ends with its exit code.
import { once } from 'node:events'
import { readdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { executable, folder, orderctl, start } from '../../support/orderctl.ts'

describe('with --exec', () => {
  const notExecutable = (): string => {
    const file = path.join(folder(), 'script')
    writeFileSync(file, '#!/bin/sh\n', { mode: 0o644 })
    return file
  }
  const exec = (script: string, words: readonly string[] = []) =>
    orderctl(['serve-mock', ...words, '--exec', '--', process.execPath, '-e', script])

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
    const words = ['serve-mock', '--exec', '--', process.execPath, '-e', script]
    expect(await orderctl(words, { env })).toMatchObject({ exit: 0, stdout: '0\n' })
  })

  describe('the journal of the command', () => {
    const findFreePort = async (): Promise<number> => {
      const server = createServer().listen(0, '127.0.0.1')
      await once(server, 'listening')
      const { port } = server.address() as { port: number }
      server.close()
      await once(server, 'close')
      return port
    }
    const order = 'create --product GAME-US:25 --wallet USD --reference fixed --confirm'.split(' ')
    /** Orders with the same reference at the same port. */
    const buyTwice = async (words: (cwd: string) => readonly string[], env = {}) => {
      const cwd = folder()
      const port = await findFreePort()
      const line = [
        'serve-mock',
        '--port',
        String(port),
        ...words(cwd),
        '--exec',
        '--',
        ...executable,
        ...order,
      ]
      const first = await orderctl(line, { cwd, env })
      const second = await orderctl(line, { cwd, env })
      return { exits: [first.exit, second.exit], stderr: second.stderr }
    }

    test('is new for each run, so a fixed port and a fixed reference work again', async () => {
      expect((await buyTwice(() => [])).exits).toEqual([0, 0])
    })

    test('is kept with --state, because the service knows the orders too', async () => {
      const { exits, stderr } = await buyTwice((cwd) => ['--state', path.join(cwd, 'shop.db')])
      expect({ exits, stderr }).toMatchObject({ exits: [0, 11], stderr: expect.stringContaining('fixed') })
    })

    test('is in ORDERCTL_STATE_DIR if that is set', async () => {
      const state = folder()
      expect((await buyTwice(() => [], { ORDERCTL_STATE_DIR: state })).exits).toEqual([0, 11])
      expect(readdirSync(state)).toContain('journal.db')
    })

    test('is in a private folder that is removed, whether the command succeeds or not', async () => {
      const temporary = folder()
      const script = `
        const { readdirSync, statSync, writeFileSync } = require('node:fs')
        const state = process.env.ORDERCTL_STATE_DIR
        writeFileSync(state + '/left', '')
        console.log(require('node:path').dirname(state) === process.env.TMPDIR, (statSync(state).mode & 0o777).toString(8))
        process.exitCode = 5`
      const line = ['serve-mock', '--exec', '--', process.execPath, '-e', script]
      const { exit, stdout } = await orderctl(line, { env: { TMPDIR: temporary } })
      expect({ exit, stdout }).toEqual({ exit: 5, stdout: 'true 700\n' })
      const missing = await orderctl(['serve-mock', '--exec', '--', 'no-such-command'], {
        env: { TMPDIR: temporary },
      })
      expect(missing.exit).toBe(127)
      expect(readdirSync(temporary)).toEqual([])
    })

    test('cannot be created in a folder that does not exist', async () => {
      const line = ['serve-mock', '--exec', '--', process.execPath, '-e', '']
      const { exit, stderr } = await orderctl(line, { env: { TMPDIR: '/no/such/folder' } })
      expect({ exit, stderr: stderr.split('\n').slice(1) }).toEqual({
        exit: 9,
        stderr: [
          'error: cannot create a folder in /no/such/folder: no such file or directory',
          'Set ORDERCTL_STATE_DIR to a folder for the journal of the command.',
          '',
        ],
      })
    })
  })

  test('ends as a shell does for a command that a signal ended', async () => {
    expect((await exec("process.kill(process.pid, 'SIGTERM')")).exit).toBe(143)
  })

  test('hands a signal on to the command and waits for its end', async () => {
    const script =
      "process.on('SIGTERM', () => process.exit(3)); setInterval(() => {}, 1000); console.log('up')"
    const child = start(['serve-mock', '--exec', '--', process.execPath, '-e', script])
    for await (const line of child.iterable()) if (line === 'up') child.kill('SIGTERM')
    expect((await child).exitCode).toBe(3)
  })

  test.each([
    ['is not there', () => 'no-such-command', 127, 'command not found'],
    ['is not executable', () => notExecutable(), 126, 'not executable'],
  ])('ends as a shell does for a command that %s', async (_why, named, exit, why) => {
    const command = named()
    const words = ['serve-mock', '--exec', '--', command]
    const message = `cannot run ${command}: ${why}`
    const plain = await orderctl(words)
    expect({ ...plain, stderr: plain.stderr.split('\n').slice(-2) }).toEqual({
      exit,
      stdout: '',
      stderr: [`error: ${message}`, ''],
    })
    const json = await orderctl(['serve-mock', '--json', ...words.slice(1)])
    expect(json.exit).toBe(exit)
    expect(JSON.parse(json.stderr.trimEnd().split('\n').at(-1) ?? '')).toEqual({
      error: { code: 'usage', message, field: '--exec', retryable: false },
    })
  })
})
