// The live lines of watch on a terminal: what is drawn, drawn again and taken away; stdout is the result alone.
import { describe, expect, test } from 'vitest'
import { neverLate, type Situation, swiftClock } from '../../support/in-process.ts'
import { on, openWorld, overNetwork, respond, type World } from '../../support/world.ts'
import { inWords } from '../../ui/screens.ts'

/** Ids, cursor movements and colours as words. */
const readable = (text: string, ids: readonly string[]): string =>
  inWords(
    ids
      .reduce((all, id, index) => all.replaceAll(id, `ORDER-${index + 1}`), text)
      .replace(/\u001b\[(\d+)A\r\u001b\[J/g, '<up $1, erase>'),
  )

const watching = async (one: World, ids: readonly string[], situation: Situation, ...flags: string[]) => {
  const { exit, stdout, writes } = await one.atTerminal(['watch', ...ids, ...flags], situation)
  return { exit, stdout: readable(stdout, ids), drawn: writes.stderr.map((each) => readable(each, ids)) }
}

/** A write a line; the further lines of one are indented. */
const frames = (drawn: readonly string[]): string =>
  `\n${drawn.map((each) => each.trimEnd().replaceAll('\n', '\n    ')).join('\n')}\n`

/** An order that is confirmed at the moment of the clock. */
const confirmed = async (
  { atTerminal }: World,
  clock: ReturnType<typeof swiftClock>,
  product = 'GAME-US:25',
) => {
  const words = ['create', '--product', product, '--wallet', 'USD', '--confirm', '-q']
  return (await atTerminal(words, { clock })).stdout.trim()
}

test('one order is one line, drawn again in place, and gone at the end', async () => {
  const [shop, clock] = [await openWorld(), swiftClock()]
  const { exit, stdout, drawn } = await watching(shop, [await confirmed(shop, clock)], { clock })
  expect(exit).toBe(0)
  expect(frames(drawn)).toMatchInlineSnapshot(`
    "
    ORDER-1  … confirmed  after 0 s
    <up 1, erase>ORDER-1  … confirmed  after 1 s
    <up 1, erase>ORDER-1  … processing  after 1 s
    <up 1, erase>ORDER-1  … processing  after 2 s
    <up 1, erase>ORDER-1  … processing  after 3 s
    <up 1, erase>ORDER-1  … processing  after 4 s
    <up 1, erase>ORDER-1  … processing  after 5 s
    <up 1, erase>ORDER-1  ✓ successful  after 5 s
    <up 1, erase>
    Codes are hidden. Show them: orderctl redeem ORDER-1 --reveal
    "
  `)
  expect(stdout).toMatch(/^Order {6}ORDER-1\n/)
  expect(stdout).not.toContain('after')
})

test('where nothing is to be drawn again, each change is a line', async () => {
  const [shop, clock] = [await openWorld(), swiftClock()]
  const ids = [await confirmed(shop, clock)]
  const { stdout, drawn } = await watching(shop, ids, { clock, env: { ORDERCTL_ACCESSIBLE: '1' } })
  expect(stdout).toMatch(
    /^ORDER-1 .* confirmed .*\nORDER-1 .* processing .*\nORDER-1 .* successful .*\nOrder {6}ORDER-1\n/,
  )
  expect(drawn).toEqual(['Codes are hidden. Show them: orderctl redeem ORDER-1 --reveal\n'])
})

test('several are a line each, drawn again together', async () => {
  const [shop, clock] = [await openWorld(), swiftClock()]
  const ids = [await confirmed(shop, clock), await confirmed(shop, clock, 'TEST-FAIL:10')]
  const { exit, drawn } = await watching(shop, ids, { clock })
  expect(exit).toBe(7)
  const summaries = drawn.flatMap((each) => /^\d of 2 final.*/m.exec(each) ?? [])
  expect([...new Set(summaries)]).toEqual([
    '0 of 2 final, 1 confirmed',
    '0 of 2 final, 2 confirmed',
    '0 of 2 final, 1 processing, 1 confirmed',
    '0 of 2 final, 2 processing',
    '1 of 2 final, 1 processing',
    '2 of 2 final',
  ])
  expect(frames(drawn.slice(-4))).toMatchInlineSnapshot(`
    "
    <up 3, erase>ORDER-1  ✓ successful  after 5 s  1 × GAME-US 25
        ORDER-2  ✗ failed      after 4 s  1 × TEST-FAIL 10
        2 of 2 final
    <up 3, erase>
    Codes are hidden. Show them: orderctl redeem ORDER-1 --reveal
    See what happened: orderctl get ORDER-2 --explain
    "
  `)
})

test('in colour each state has its own', async () => {
  const [shop, clock] = [await openWorld(), swiftClock()]
  const env = { NO_COLOR: undefined }
  const { drawn } = await watching(shop, [await confirmed(shop, clock)], { clock, env })
  const states = drawn.flatMap(
    (each) => /(<\w+>\S \w+<\/>) {2}<quiet>after \d s<\/>\n$/.exec(each)?.[1] ?? [],
  )
  expect([...new Set(states)]).toEqual([
    '<warning>… confirmed</>',
    '<warning>… processing</>',
    '<good>✓ successful</>',
  ])
})

test('a warning stands above the lines, which are taken away for it', async () => {
  const shop = await openWorld(overNetwork)
  const id = await shop.id('create', '--product', 'GAME-US:25', '--wallet', 'USD', '--confirm')
  let gets = 0
  shop.through(
    on('get', async (request, service) => {
      gets += 1
      // All attempts of the second read.
      return gets > 1 && gets < 5 ? respond(502, 'Bad Gateway') : service(request)
    }),
  )
  const { exit, drawn } = await watching(shop, [id], { clock: neverLate(shop.clock) })
  expect(exit).toBe(0)
  expect(frames(drawn)).toMatchInlineSnapshot(`
    "
    ORDER-1  … confirmed  after 0 s
    <up 1, erase>ORDER-1  … confirmed  after 1 s
    <up 1, erase>
    warning: cannot read ORDER-1: HTTP 502: Bad Gateway. Trying again.
    ORDER-1  … confirmed  after 2 s
    <up 1, erase>ORDER-1  … confirmed  after 3 s
    <up 1, erase>ORDER-1  … confirmed  after 4 s
    <up 1, erase>ORDER-1  ✓ successful  after 4 s
    <up 1, erase>
    Codes are hidden. Show them: orderctl redeem ORDER-1 --reveal
    "
  `)
})

test('an interruption takes the lines away before it says so', async () => {
  const shop = await openWorld()
  const interrupted = new AbortController()
  const clock = swiftClock(() => interrupted.abort('SIGINT'))
  const { exit, stdout, drawn } = await watching(shop, [await shop.confirmed('TEST-SLOW:10')], {
    clock,
    interrupted: interrupted.signal,
  })
  expect({ exit, stdout }).toEqual({ exit: 130, stdout: '' })
  expect(frames(drawn)).toMatchInlineSnapshot(`
    "
    ORDER-1  … confirmed  after 0 s
    <up 1, erase>
    Stopped watching; the order is not final yet
        try: orderctl watch ORDER-1
    "
  `)
})

describe('nothing is drawn', () => {
  test.each([['-q'], ['--json']])('with %s', async (flag) => {
    const [shop, clock] = [await openWorld(), swiftClock()]
    const { exit, drawn } = await watching(shop, [await confirmed(shop, clock)], { clock }, flag)
    expect({ exit, drawn }).toEqual({ exit: 0, drawn: [] })
  })

  test('where stderr is no terminal: stdout has a line a change', async () => {
    const [shop, clock] = [await openWorld(), swiftClock()]
    const terminals = ['stdin', 'stdout'] as const
    const { exit, stdout, drawn } = await watching(shop, [await confirmed(shop, clock)], { clock, terminals })
    expect({ exit, drawn: drawn.join('') }).toEqual({
      exit: 0,
      drawn: 'Codes are hidden. Show them: orderctl redeem ORDER-1 --reveal\n',
    })
    expect(`\n${stdout.split('Order ')[0]}`).toMatchInlineSnapshot(`
      "
      ORDER-1  … confirmed  after 0 s
      ORDER-1  … processing  after 0 s
      ORDER-1  ✓ successful  after 2 s
      "
    `)
  })
})
