// The help and the wrong flags of orderctl listen, and what it refuses to start with.
import { createServer } from 'node:net'
import { expect, test } from 'vitest'
import { orderctl } from '../../support/orderctl.ts'

/** Nothing is sent to it. */
const env = { ORDERCTL_BASE_URL: 'http://127.0.0.1:9', ORDERCTL_API_KEY: 'key' }
const listen = (...words: string[]) => orderctl(['listen', ...words], { input: '', env })

test.each<[string, string[], string]>([
  [
    'a port',
    ['--port', '70000'],
    '--port is "70000"; allowed: a whole number from 0 to 65535; 0 picks a free one',
  ],
  ['a path', ['--path', 'hook'], '--path is "hook"; allowed: a path such as /hooks/3f9c, without ? and #'],
  ['a path with a query', ['--path', '/hook?a=1'], '--path is "/hook?a=1"'],
  ['a host', ['--host', ' '], '--host is " "; allowed: an address'],
  [
    'a scheme',
    ['--forward-to', 'ftp://x'],
    '--forward-to is "ftp://x"; allowed: a URL that begins with https://',
  ],
  ['an empty secret', ['--secret-stdin'], 'the secret is invalid: it is empty'],
  ['flags beside --status', ['--status', '--port', '1'], '--port cannot be used with --status'],
  ['a host name', ['--host', 'host.invalid', '--port', '0'], 'cannot resolve the host name host.invalid'],
  ['an address', ['--host', '192.0.2.1', '--port', '0'], '192.0.2.1 is not an address of this machine'],
  ['a replay without a target', ['replay'], "required option '--forward-to <url>' not specified"],
  ['the start of a replay', ['replay', '--forward-to', 'http://x', '--since', 'soon'], '--since is "soon"'],
])('%s', async (_what, words, message) => {
  const { exit, stdout, stderr } = await listen(...words)
  expect({ exit, stdout }).toEqual({ exit: 2, stdout: '' })
  expect(stderr).toContain(message)
})

test.each([
  'http://a:b+hidden@x/',
  'http://hidden@x/',
  'ftp://a:b/hidden@x/',
  'http:a:hidden@x/',
  'http://a:b#hidden@x/',
])('a password, which is not printed: %s', async (url) => {
  const { exit, stderr } = await listen('--forward-to', url)
  expect(exit).toBe(2)
  expect(stderr).toContain('--forward-to must be a URL that begins with')
  expect(stderr).not.toContain('hidden')
})

test.each([
  ['by default', []],
  ['by its name', ['--profile', 'sandbox']],
])('the sandbox, %s', async (_how, words) => {
  const { exit, stdout, stderr } = await orderctl(['listen', '--port', '0', ...words])
  expect({ exit, stdout, stderr }).toEqual({
    exit: 2,
    stdout: '',
    stderr:
      'error: the sandbox sends no webhooks, so there is nothing to listen for\n' +
      'try: Select another profile with --profile, or test with the local service: orderctl serve-mock\n',
  })
})

test('a secret that is no base64', async () => {
  const { exit, stderr } = await orderctl(['listen', '--secret-stdin', '--json'], { input: 'whsec_?\n' })
  expect(exit).toBe(2)
  expect(JSON.parse(stderr).error).toMatchObject({
    message: 'the secret is invalid: whsec_ must be followed by base64',
    field: '--secret-stdin',
  })
})

test('a port that is in use', async () => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  const { exit, stderr } = await listen('--port', String(port))
  server.close()
  expect({ exit, stderr }).toEqual({
    exit: 2,
    stderr: `error: port ${port} is already in use on 127.0.0.1\ntry: orderctl listen --port 0\n`,
  })
})

test('a path that is easy to guess is a warning', async () => {
  const { stderr } = await listen('--path', '/hook', '--host', '192.0.2.1', '--port', '0')
  expect(stderr).toContain('warning: the path is easy to guess')
})

test('the help fits on a screen of 24 lines', async () => {
  const { exit, stdout } = await listen('--help')
  expect([exit, stdout.trimEnd().split('\n').length]).toEqual([0, 24])
})
