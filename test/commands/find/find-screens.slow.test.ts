// find as a process: the typed code is hidden, Ctrl-C says how far the search got, and a defect shows no code.
import path from 'node:path'
import { expect, test } from 'vitest'
import { noTerminal, onTerminal } from '../../support/pseudo-terminal.ts'
import { byExecutable, openWorld } from '../../support/world.ts'

const code = 'NOPE-1234-5678'

const bought = async () => {
  const shop = await openWorld(byExecutable)
  for (const reference of ['one', 'two', 'three'])
    await shop.must(
      ...['create', '--product', 'GAME-US:25x3', '--wallet', 'USD', '--confirm', '-q'],
      ...['--reference', reference],
    )
  return shop
}

test.skipIf(noTerminal() !== undefined)('on a terminal, while it searches', async () => {
  const shop = await bought()
  await shop.fault('get:latency=30s@100%')
  const state = path.join(shop.home, 'state')
  const terminal = onTerminal(['find'], { ORDERCTL_STATE_DIR: state, ...shop.environment })
  await terminal.shows('(not shown)')
  terminal.press(`${code}\r`)
  await terminal.shows('searching: 0 of 3 orders')
  terminal.press('\u0003')
  expect(await terminal.ended).toBe(130)
  expect(terminal.screen()).toContain('Interrupted after 0 of 3 orders; no card found so far')
  expect(terminal.raw()).not.toContain('NOPE')
})

test('a defect', async () => {
  const shop = await bought()
  const broken =
    '--import data:text/javascript,Map.groupBy=String.prototype.normalize=()=>{throw(new(TypeError)(1))}'
  const { exit, stdout, stderr } = await shop.run(['find', '--debug'], {
    input: code,
    env: { NODE_OPTIONS: broken },
  })
  expect({ exit, stdout, stderr }).toEqual({ exit: 1, stdout: '', stderr: expect.not.stringContaining(code) })
})
