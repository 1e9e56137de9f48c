// serve-mock's inspector, from the built executable: where its URL is printed, and --no-inspector.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { serveMock, start } from '../../support/orderctl.ts'
import { noTerminal, onTerminal } from '../../support/pseudo-terminal.ts'

const pages = path.resolve(import.meta.dirname, '../../../src/service/inspector/page')

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
