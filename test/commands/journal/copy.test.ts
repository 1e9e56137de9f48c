// The wait of journal copy for calls in flight. copy.session has the rest: a database needs real time there.
import { once } from 'node:events'
import path from 'node:path'
import { expect, test } from 'vitest'
import { never, on, order, overNetwork } from '../../support/world.ts'
import { openTeam } from './team.ts'

test('the copy waits for a call in flight until its deadline, and gives up if others begin meanwhile', async () => {
  const { shop, run, state, prepare } = await openTeam({ way: overNetwork })
  await prepare()
  shop.through(on('create', never))
  const buy = async (reference: string): Promise<void> => {
    const arrived = once(shop.arrived, 'create')
    void run([...order.slice(0, -1), reference], { env: { ORDERCTL_JOURNAL: undefined } })
    await arrived
  }
  let waits = 0
  const sleep: typeof shop.ownClock.sleep = async (ms, signal) => {
    waits += 1
    // After 7 s.
    if (waits === 4) await buy('po-2')
    await shop.ownClock.sleep(ms, signal)
  }
  const copy = async () => {
    const begun = shop.clock.now()
    const words = ['journal', 'copy', '--from', path.join(state, 'journal.db')]
    const { exit, stdout, stderr } = await run(words, { clock: { ...shop.ownClock, sleep } })
    return { exit, waitedMs: shop.clock.now() - begun, said: stderr.replaceAll(state, '~') + stdout }
  }
  await buy('po-1')
  expect(await copy()).toEqual({
    exit: 9,
    waitedMs: 45_000,
    said: `Another command is buying with this journal. Waiting for it (up to 45 s).
error: other commands still buy with ~/journal.db; nothing was copied
End them with Ctrl-C. Then copy the journal.
`,
  })
  expect(await copy()).toEqual({
    exit: 0,
    waitedMs: 7_000,
    said: `Another command is buying with this journal. Waiting for it (up to 7 s).
Copied 2 orders, 0 batches and 0 reveals.
`,
  })
})
