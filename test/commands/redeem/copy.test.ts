// redeem --copy by the executable, on a real terminal and with a real tool. copy.session has the others.

import { once } from 'node:events'
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { isAllRun } from '../../support/cases.ts'
import { noTerminal, onTerminal } from '../../support/pseudo-terminal.ts'
import { byExecutable, openWorld } from '../../support/world.ts'

test('stderr alone is a terminal that can copy, too', async () => {
  const { ended, must, runIn, clock } = await openWorld()
  const order = await ended('GAME-US:25')
  const pin = (await must('redeem', order, '--only', 'pin', '--reveal')).trim()
  const sleep = async (ms: number, signal?: AbortSignal) =>
    ms === 45_000 ? undefined : clock.sleep(ms, signal)
  const { stdout, stderr } = await runIn(['redeem', order, '--copy', '--only', 'pin'], {
    ...{ platform: 'linux', terminals: ['stderr'], clock: { ...clock, sleep } },
  })
  expect(stdout).toBe('')
  expect(stderr).toContain(`\u001b]52;c;${Buffer.from(pin).toString('base64')}\u0007`)
})

test.runIf(noTerminal() === undefined).each(isAllRun ? [60, 80, 120] : [80])(
  'the list at %i columns',
  async (width) => {
    const shop = await openWorld(byExecutable)
    const order = await shop.ended('GAME-US:25x2')
    const code = (await shop.must('redeem', order, '--only', 'code', '--reveal')).split('\n')[1] ?? ''
    for (const colour of [{ NO_COLOR: '1' }, {}] as Record<string, string>[]) {
      const env = { ...shop.environment, HOME: shop.home, COLUMNS: String(width), ...colour }
      const terminal = onTerminal(['redeem', order, '--copy', '--only', 'code'], env)
      await terminal.shows('card 2, code')
      terminal.press('\u0003')
      expect(await terminal.ended).toBe(130)
      expect(terminal.text()).toContain('card 1, code  GAME-US  ••••')
      expect(terminal.text()).not.toContain(code)
    }
  },
)

test.runIf(process.platform === 'linux')(
  'the executable gives a tool the value on its standard input alone',
  async () => {
    const shop = await openWorld(byExecutable)
    const order = await shop.ended('GAME-US:25')
    const pin = (await shop.must('redeem', order, '--only', 'pin', '--reveal')).trim()
    const tools = shop.home
    const [held, called] = [path.join(shop.home, 'held'), path.join(shop.home, 'called')]
    const tool = path.join(tools, 'xclip')
    writeFileSync(
      tool,
      `#!/bin/sh\necho "$*" >> '${called}'\ncase "$*" in *-o) cat '${held}' ;; *) cat > '${held}' ;; esac\n`,
    )
    chmodSync(tool, 0o755)
    writeFileSync(held, '')
    const child = shop.starts(['redeem', order, '--copy', '--only', 'pin'], {
      env: { PATH: `${tools}:${process.env.PATH}`, DISPLAY: ':0', WAYLAND_DISPLAY: '', WSL_DISTRO_NAME: '' },
    })
    await once(child.stderr ?? child, 'data')
    expect(readFileSync(held, 'utf8')).toBe(pin)
    child.kill('SIGINT')
    const { exitCode, stdout, stderr } = await child
    expect({ exitCode, stdout, held: readFileSync(held, 'utf8') }).toEqual({
      exitCode: 0,
      stdout: '',
      held: '',
    })
    expect(stderr).toMatch(
      /^Copied with xclip: the PIN of card 1, GAME-US \(••••\)\. .*\nThe clipboard is cleared.\n$/,
    )
    expect(readFileSync(called, 'utf8')).toBe(
      '-selection clipboard\n-selection clipboard -o\n-selection clipboard\n',
    )
  },
)
