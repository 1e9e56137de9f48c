// What a terminal shows while a response is waited for, where that takes a moment; and nothing of it anywhere else.
import { describe, expect, test } from 'vitest'
import { silentMs } from '../../src/app/waiting.ts'
import { realClock, type Situation } from '../support/in-process.ts'
import { serveMock } from '../support/orderctl.ts'
import { noTerminal, onTerminal } from '../support/pseudo-terminal.ts'
import { screenOf } from '../support/screen.ts'
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

describe('a call that takes a moment is shown, and gone with its response', () => {
  test.each<[string, string[]]>([
    ['get', ['asking for the order']],
    ['redeem', ['asking for the order']],
    ['confirm --yes', ['asking for the order', 'confirming the order']],
  ])('%s', async (words, expected) => {
    const shop = await openWorld(inRealTime)
    const id = words === 'redeem' ? await shop.ended('GAME-US:25') : await shop.created('GAME-US:25')
    const { exit, screens, writes } = await slowly(shop, [...words.split(' '), id])
    expect(exit).toBe(0)
    const shown = screens.flatMap((each) => /^\* (.*)$/m.exec(each)?.[1] ?? [])
    expect([...new Set(shown)]).toEqual(expected)
    expect(screens.at(-1)).not.toMatch(/^\*/m)
    // Seconds are counted.
    expect(writes.stderr.join('')).toMatch(/asking for the order {2}[1-9]\d* s\n/)
  })

  test('create, once it says where', async () => {
    const { exit, screens } = await slowly(await openWorld(inRealTime), order)
    expect(exit).toBe(0)
    expect(screens.map((each) => each.replace(/http\S+|sbx_\w+/g, '…'))).toEqual([
      'Using the environment: …',
      'Using the environment: …\n* placing the order',
      'Using the environment: …',
      'Using the environment: …\nConfirm it: orderctl confirm …',
    ])
  })

  test('profile test', async () => {
    const { exit, screens } = await slowly(await openWorld(inRealTime), ['profile', 'test'])
    expect(exit).toBe(0)
    expect(screens.map((each) => each.split('\n')[1])).toEqual([undefined, '* asking the service', undefined])
  })

  test('an error stands alone', async () => {
    const shop = await openWorld(inRealTime)
    const { exit, screens } = await slowly(shop, ['get', 'ord_nobodys'])
    expect(exit).toBe(3)
    expect(screens[0]).toBe('* asking for the order')
    expect(screens.at(-1)).toMatch(/^error: /)
  })
})

test('several are counted', async () => {
  const shop = await openWorld(inRealTime)
  for (const _ of 'abcde') await shop.must(...order, '--allow-duplicate', '-q')
  for (const [words, what] of [
    [['reconcile'], 'asking for orders'],
    [['list', '--refresh'], 'asking for the orders of environment'],
  ] as const) {
    const { exit, screens } = await slowly(shop, words)
    expect(exit).toBe(0)
    const counts = screens.flatMap((each) => /^\* (.*)$/m.exec(each)?.[1] ?? [])
    expect([...new Set(counts.map((each) => each.replace(/\d of/, 'n of')))]).toEqual([`${what}: n of 5`])
    expect(counts[0]).toBe(`${what}: 0 of 5`)
    expect(new Set(counts).size).toBeGreaterThan(1)
    expect(screens.at(-1)).not.toContain('*')
  }
})

test('what is said meanwhile stands above the line: each request that is traced', async () => {
  const shop = await openWorld(inRealTime)
  const id = await shop.created('GAME-US:25')
  await shop.fault('get:status=503x2')
  const traced = await slowly(shop, ['get', id, '--debug'])
  expect(traced.exit).toBe(0)
  expect(traced.screens.map((each) => each.replace(/^debug: .*$/gm, 'trace'))).toEqual([
    '* asking for the order',
    '',
    'trace',
    'trace\n* asking for the order',
    'trace',
    'trace\ntrace',
    'trace\ntrace\n* asking for the order',
    'trace\ntrace',
    'trace\ntrace\ntrace',
    `trace\ntrace\ntrace\nConfirm it: orderctl confirm ${id}. Do not order again.`,
  ])
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

describe('watch', () => {
  test('shows it until the first response, then the line of the order alone', async () => {
    const shop = await openWorld(inRealTime)
    const id = await shop.confirmed('TEST-SLOW:10')
    const advanced = setTimeout(() => void shop.advance('2m'), 300)
    const { exit, screens } = await slowly(shop, ['watch', id])
    clearTimeout(advanced)
    expect(exit).toBe(0)
    const lines = screens.map((each) => each.replaceAll(id, 'ORDER').replace(/after .*/g, ''))
    expect(lines.slice(0, 2)).toEqual(['* asking for the order', ''])
    expect(lines.slice(2).join('\n')).not.toContain('*')
    expect(lines[2]).toMatch(/^ORDER {2}… confirmed/)
  })
})

describe('nothing is drawn', () => {
  test.each<[string, string[], Situation]>([
    ['with --json', ['--json'], {}],
    ['with -q', ['-q'], {}],
    ['with CI', [], { env: { CI: 'true' } }],
    ['on a dumb terminal', [], { env: { TERM: 'dumb' } }],
    ['for a screen reader', [], { env: { ORDERCTL_ACCESSIBLE: '1' } }],
    ['where stderr is no terminal', [], { terminals: ['stdin', 'stdout'] }],
  ])('%s', async (_where, flags, situation) => {
    const shop = await openWorld(inRealTime)
    const { exit, stderr } = await slowly(shop, ['get', await shop.ended('GAME-US:25'), ...flags], situation)
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' })
  })

  test('where the response is there in time', async () => {
    const shop = await openWorld(inRealTime)
    const { stderr } = await shop.atTerminal(['get', await shop.ended('GAME-US:25')])
    expect(stderr).toBe('')
  })
})

const why = noTerminal()

describe.skipIf(why !== undefined)(
  `on a real terminal${why === undefined ? '' : ` (not tried: ${why})`}`,
  () => {
    const creating = async (latency: string) => {
      const { url, key } = await serveMock(['--latency', latency])
      return onTerminal(order, { ORDERCTL_BASE_URL: url, ORDERCTL_API_KEY: key })
    }
    const interrupted = 'Interrupted: still waiting for the response to create'

    test('it turns, counts and goes; the cursor is never hidden', async () => {
      const terminal = await creating('1300ms')
      expect(await terminal.ended).toBe(0)
      for (const drawn of ['⠋ placing the order', '⠙ placing the order', ' placing the order  1 s']) {
        expect(terminal.raw()).toContain(drawn)
      }
      expect(terminal.screen()).toMatch(/^Using the environment: \S+\nOrder {6}sbx_[\s\S]*\nConfirm it: .*$/)
      expect(terminal.screen()).not.toContain('placing')
      expect(terminal.raw()).not.toContain('\u001b[?25')
    })

    test('the first Ctrl-C is noted above it, the second leaves it behind on a line of its own', async () => {
      const terminal = await creating('20s')
      await terminal.shows('placing the order')
      terminal.press('\u0003')
      await terminal.shows(interrupted)
      const drawn = terminal.raw().length
      await terminal.shows('placing the order', drawn)
      expect(terminal.screen()).toMatch(
        /^Using .*\nInterrupted: still waiting for the response to create\..*\n.*reconcile\n. placing the order( {2}\d+ s)?$/,
      )
      terminal.press('\u0003')
      expect(await terminal.ended).toBe(130)
      expect(terminal.screen()).toMatch(/placing the order( {2}\d+ s)?(\n\^C)?$/)
    })
  },
)
