// A watch and a listener with one journal: the watch notices what the listener has received.
import { expect, test } from 'vitest'
import { start } from '../../support/orderctl.ts'
import { waitUntil } from '../../support/wait-until.ts'
import { openDesk } from './listen-desk.ts'

test('watch prints the final state that a webhook told about, after one request', async () => {
  const desk = await openDesk(['--processing-time', '1h'])
  const { mock } = desk
  const headers = { authorization: `Bearer ${mock.key}`, 'content-type': 'application/json' }
  const countGets = async (): Promise<number> => {
    const found = await fetch(`${mock.url}/_mock/requests`, { headers })
    const requests = (await found.json()) as { readonly path: string }[]
    return requests.filter(({ path }) => path.startsWith('/order/get')).length
  }
  const readListeners = () => {
    using database = desk.openJournalFile()
    return database.prepare('SELECT process FROM listeners').all()
  }
  const listener = await desk.listen()
  const id = await desk.buy('r-1', listener.url)
  await waitUntil(() => listener.events.some((event) => event.state === 'confirmed'))
  await waitUntil(() => readListeners().length === 1)
  const before = await countGets()
  const watching = start(['watch', id], { env: desk.env, cwd: desk.home })
  let seen = ''
  watching.stdout?.on('data', (text) => {
    seen += text
  })
  await waitUntil(() => seen.includes('confirmed'))
  const body = JSON.stringify({ advance: '2h' })
  await fetch(`${mock.url}/_mock/clock`, { method: 'POST', headers, body })
  const { stdout, exitCode } = await watching
  expect([exitCode, stdout.replace(/after .*/g, 'after').split('\n')]).toEqual([
    0,
    [`${id}  … confirmed  after`, `${id}  ✓ successful  after`, ''],
  ])
  // One of the watch, and one of the listener.
  expect((await countGets()) - before).toBe(2)
  await listener.stop()
  expect(readListeners()).toEqual([])
})
