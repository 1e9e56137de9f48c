// A watch and a listener with one journal: the watch notices what the listener has received.
import { expect, test } from 'vitest'
import { start } from '../../support/orderctl.ts'
import { waitUntil } from '../../support/wait-until.ts'
import { openDesk } from './listen-desk.ts'

test('watch prints the final state that a webhook told about, between its own requests', async () => {
  const desk = await openDesk(['--processing-time', '1h'])
  const { mock } = desk
  const headers = { authorization: `Bearer ${mock.key}`, 'content-type': 'application/json' }
  const listener = await desk.listen()
  const id = await desk.buy('r-1', listener.url)
  await waitUntil(() => listener.events.some((event) => event.state === 'confirmed'))
  const watching = start(['watch', id, '--interval', '1h'], { env: desk.env, cwd: desk.home })
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
  await listener.stop()
})
