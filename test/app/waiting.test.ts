// What a terminal shows while a response is waited for, where that takes a moment; and nothing of it anywhere else.
import { describe, expect, test } from 'vitest'
import { framesFor, silentMs } from '../../src/app/terminal.ts'
import { isAllRun } from '../support/cases.ts'
import { realClock, type Situation } from '../support/in-process.ts'
import { serveMock } from '../support/orderctl.ts'
import { noTerminal, onTerminal } from '../support/pseudo-terminal.ts'
import { screenOf } from '../support/screen.ts'
import { waitUntil } from '../support/wait-until.ts'
import { inRealTime, openWorld, type World } from '../support/world.ts'

/** A second passes between two drawings, and what would be waited for longest is over at once. */
const quick = (): NonNullable<Situation['clock']> => {
  let ahead = 0
  return {
    ...realClock,
    monotonic: () => performance.now() + ahead,
    sleep: async (ms, signal) => {
      if (ms >= 30_000) return realClock.sleep(ms, signal)
      ahead += ms === silentMs ? 0 : 1_000
      // Long enough for a line to be drawn in.
      await realClock.sleep(ms < 1_000 ? 5 : 120, signal)
    },
  }
}

/** The screen after each write to stderr, as far as it changed; seconds and what turns are left out. */
const screensOf = (writes: readonly string[]): string[] => {
  const screen = screenOf(200)
  const all = writes.map((each) => {
    screen.write(each)
    return screen
      .rows()
      .map((row) => row.replace(/^[|/\\-] (.*?)( {2}\d+ (s|min))?$/, '* $1'))
      .join('\n')
  })
  return all.filter((each, at) => each !== (all[at - 1] ?? ''))
}

const slowly = async (
  shop: World,
  words: readonly string[],
  situation: Situation = {},
  fault = 'any:latency=120ms@100%',
) => {
  await shop.fault(fault)
  const ran = await shop.atTerminal(words, { clock: quick(), ...situation })
  return { ...ran, screens: screensOf(ran.writes.stderr) }
}

const order = ['create', '--product', 'GAME-US:25', '--wallet', 'USD', '--reference', 'r']

/** The different lines that show what is waited for. Numbers of orders are left out. */
const findShown = (screens: readonly string[]): string[] => {
  const shown = screens.flatMap((each) => /^\* (.*)$/m.exec(each)?.[1] ?? [])
  return [...new Set(shown.map((each) => each.replace(/\d of/, 'n of')))]
}

test.each<[words: string, exit: number, shown: string[]]>([
  ['get ID', 0, ['asking for the order']],
  ['confirm --yes ID', 0, ['asking for the order', 'confirming the order']],
  ['profile test', 0, ['asking the service']],
  ['reconcile', 0, ['asking for orders: n of 3']],
])('%s shows that it waits for a response, until it is there', async (line, exit, shown) => {
  const shop = await openWorld(inRealTime)
  const ended = line.includes('ENDED') ? await shop.ended('GAME-US:25') : ''
  let id = ''
  for (const _ of 'abc') id = await shop.id(...order, '--allow-duplicate')
  const words = line.replace('ENDED', ended).replace('ID', id).split(' ')
  const ran = await slowly(shop, words)
  expect({ exit: ran.exit, shown: findShown(ran.screens) }).toEqual({ exit, shown })
  expect(ran.screens.at(-1)).not.toMatch(/^\*/m)
})

test('a confirmation whose response was lost is shown to the end, between the questions too', async () => {
  const shop = await openWorld(inRealTime)
  const id = await shop.created('GAME-US:25')
  await shop.fault('confirm:reset-after')
  const { exit, screens } = await slowly(shop, ['confirm', id, '--yes'], {}, 'get:latency=120ms@100%')
  expect(exit).toBe(0)
  const lost = screens.findIndex((each) => each.includes('No valid response to confirm'))
  const warning = 'warning: no valid response to confirm (connection reset), but the order is confirmed'
  expect(
    screens.slice(lost).map((each) => each.split('\n').slice(screens[lost]?.split('\n').length)),
  ).toEqual([
    ...[[], ['* checking the order'], []],
    ...[[warning], [warning, '* asking for the order'], [warning]],
    [warning, `Wait for it: orderctl watch ${id}`],
  ])
})

test('watch shows it until the first response, then the line of the order alone', async () => {
  const shop = await openWorld(inRealTime)
  const id = await shop.confirmed('TEST-SLOW:10')
  // With its second request, the line of the order is drawn.
  const second = shop.sent('get') + 2
  const advanced = waitUntil(() => shop.sent('get') === second).then(() => shop.advance('2m'))
  const { exit, screens } = await slowly(shop, ['watch', id])
  await advanced
  expect([exit, ...screens.slice(0, 2)]).toEqual([0, '* asking for the order', ''])
  expect(screens.slice(2).join('\n')).not.toContain('*')
  expect(screens[2]).toMatch(/^sbx_\w+ {2}… confirmed/)
})

test.each<[string, string[], Situation]>([
  ['with --json', ['--json'], {}],
  ['for a screen reader', [], { env: { ORDERCTL_ACCESSIBLE: '1' } }],
  ['where stderr is not a terminal', [], { terminals: ['stdin', 'stdout'] }],
])('nothing is drawn %s, or if the response is there in time', async (_where, flags, situation) => {
  const shop = await openWorld(inRealTime)
  const words = ['get', await shop.ended('GAME-US:25'), ...flags]
  expect((await shop.atTerminal(words.slice(0, 2))).stderr).toBe('')
  const { exit, stderr } = await slowly(shop, words, situation)
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' })
})

describe.runIf(isAllRun && noTerminal() === undefined)('on a real terminal', () => {
  const creating = async (latency: string) => {
    const { url, key } = await serveMock(['--latency', latency])
    return onTerminal(order, { ORDERCTL_BASE_URL: url, ORDERCTL_API_KEY: key })
  }

  test('it turns, counts and goes; the cursor is never hidden', async () => {
    const terminal = await creating('1300ms')
    expect(await terminal.ended).toBe(0)
    for (const drawn of ['⠋ placing the order', '⠙ placing the order', ' placing the order  1 s'])
      expect(terminal.raw()).toContain(drawn)
    expect(terminal.screen()).toMatch(/^Using the environment: \S+\nOrder {6}sbx_[\s\S]*\nConfirm it: .*$/)
    expect(terminal.screen()).not.toContain('placing')
    expect(terminal.raw()).not.toContain('\u001b[?25')
  })

  test('the first Ctrl-C is noted above it, the second leaves it behind on a line of its own', async () => {
    const terminal = await creating('20s')
    await terminal.shows('placing the order')
    terminal.press('\u0003')
    await terminal.shows('Interrupted: still waiting for the response to create')
    await terminal.shows('placing the order', terminal.raw().length)
    expect(terminal.screen()).toMatch(
      /^Using .*\nInterrupted: still waiting for the response to create\..*\n.*reconcile\n. placing the order( {2}\d+ s)?$/,
    )
    terminal.press('\u0003')
    expect(await terminal.ended).toBe(130)
    expect(terminal.screen()).toMatch(/placing the order( {2}\d+ s)?(\n\^C)?$/)
  })
})

test.each<[string, string, Record<string, string>, string]>([
  ['⠋', 'a UTF-8 locale', { LANG: 'de_DE.UTF-8' }, 'linux'],
  ['⠋', 'LC_ALL over LANG', { LC_ALL: 'en_US.UTF-8', LANG: 'C' }, 'linux'],
  ['|', 'LC_ALL=C over LANG', { LC_ALL: 'C', LANG: 'en_US.UTF-8' }, 'linux'],
  ['|', 'an empty LC_ALL and a plain LC_CTYPE', { LC_ALL: '', LC_CTYPE: 'POSIX', LANG: 'C.UTF-8' }, 'linux'],
  ['|', 'no locale', {}, 'linux'],
  ['⠋', 'no locale', {}, 'darwin'],
])('the line begins with %s for %s: %j on %s', (first, _locale, variables, platform) => {
  expect(framesFor({ environment: variables, platform })[0]).toBe(first)
})
