// serve-mock's inspector, from the built executable: where its URL is printed, --open and --no-inspector.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { folder, serveMock, start } from '../../support/orderctl.ts'
import { noTerminal, onTerminal } from '../../support/pseudo-terminal.ts'
import { waitUntil } from '../../support/wait-until.ts'

const pages = path.resolve(import.meta.dirname, '../../../src/service/inspector/page')

/** A folder for PATH with a program `xdg-open` that writes its argument to a file, and then does what is given. */
const withOpener = (then: string) => {
  const bin = folder()
  const opened = path.join(bin, 'opened.txt')
  const script = `#!/bin/sh\nprintf %s "$1" > '${opened}.next'\n/bin/mv '${opened}.next' '${opened}'\n${then}\n`
  writeFileSync(path.join(bin, 'xdg-open'), script, { mode: 0o755 })
  return { PATH: `${bin}:/bin`, opened }
}

test('serves every file of the page as it is in the source', async () => {
  const { url } = await serveMock()
  for (const name of readdirSync(pages)) {
    const response = await fetch(`${url}/_mock/ui/${name}`)
    expect([name, await response.text()]).toEqual([name, readFileSync(path.join(pages, name), 'utf8')])
  }
})

test('each start has another token, and only it opens the data', async () => {
  const [first, second] = [await serveMock(), await serveMock()]
  const token = first.inspector.split('#')[1] ?? ''
  expect(second.inspector.split('#')[1]).not.toBe(token)
  const ask = async (url: string) => {
    const response = await fetch(`${url}/_mock/ui/data/state`, { headers: { 'x-inspector-token': token } })
    return response.status
  }
  expect([await ask(first.url), await ask(second.url)]).toEqual([200, 401])
})

test('--no-inspector serves none', async () => {
  const { url, inspector } = await serveMock(['--no-inspector'])
  expect(inspector).toBeUndefined()
  expect((await fetch(`${url}/_mock/ui`, { headers: { 'x-api-key': 'sandbox' } })).status).toBe(404)
})

describe.skipIf(process.platform !== 'linux')('--open', () => {
  test('opens the URL in the browser, and does not wait for it', async () => {
    const { PATH, opened } = withOpener('exec /bin/sleep 60')
    const { child, inspector } = await serveMock(['--open'], { env: { PATH } })
    await waitUntil(() => existsSync(opened))
    expect(readFileSync(opened, 'utf8')).toBe(inspector)
    child.kill('SIGINT')
    expect(await child).toMatchObject({ exitCode: 0, stderr: '' })
  })

  test.each([
    ['is not there', () => folder(), 'xdg-open is not installed'],
    ['fails', () => withOpener('exit 3').PATH, 'xdg-open ended with exit code 3'],
  ])('warns if the program %s, and goes on', async (_why, chooseFolder, why) => {
    const { child, url, inspector } = await serveMock(['--open'], { env: { PATH: chooseFolder() } })
    let printed = ''
    child.stdout.on('data', (part) => {
      printed += part
    })
    const message = `cannot open the browser: ${why}. Open it yourself: ${inspector}`
    const warning = `${JSON.stringify({ event: 'warning', message })}\n`
    await waitUntil(() => printed.includes(warning))
    expect((await fetch(`${url}/openapi.json`)).status).toBe(200)
    child.kill('SIGINT')
    expect(await child).toMatchObject({ exitCode: 0, stderr: '' })
  })
})

test('--exec prints its URL only on a terminal', async () => {
  const { exitCode, stderr } = await start(['serve-mock', '--exec', '--', '/bin/true'])
  expect({ exitCode, stderr: stderr.replace(/:\d+,/, ':PORT,') }).toEqual({
    exitCode: 0,
    stderr: 'serve-mock: listening on http://127.0.0.1:PORT, key sandbox\n',
  })
})

test.skipIf(noTerminal() !== undefined)('--exec prints its URL on a terminal', async () => {
  const terminal = onTerminal(['serve-mock', '--exec', '--', '/bin/true'])
  await terminal.ended
  expect(terminal.screen()).toMatch(/^inspector: http:\/\/127\.0\.0\.1:\d+\/_mock\/ui#[\da-f]{32}$/m)
})
