// create on a terminal with something missing: what is asked, what comes of the answers, and how it is left.
import { describe, expect, test } from 'vitest'
import { realClock, type Situation, swiftClock } from '../../support/in-process.ts'
import { overSocket, scrub } from '../../support/world.ts'
import { wizardDesk, wordsOf } from './wizard-desk.ts'

const { creating, byFlags } = wizardDesk()

const [product, wallet, another, reference] = [
  'Product',
  'Wallet to pay from',
  'Add another product? (no)',
  'Your reference',
]
const place = 'Enter'

const game = ['GAME-US', '2']
const rest = ['EUR', 'ref-1']

describe('what is missing', { concurrent: true }, () => {
  const flags = ['--product', 'GAME-US:25x2', '--wallet', 'EUR', '--reference', 'ref-1']

  test.each<[string, string[], (string | boolean)[], string[]]>([
    ['all of it', [], [...game, false, ...rest], ['products', wallet, `${reference} (made-up)`]],
    ['the products', flags.slice(2), [...game, false], ['products']],
    ['the wallet', [...flags.slice(0, 2), ...flags.slice(4)], ['EUR'], [wallet]],
    ['all but the reference', flags.slice(4), [...game, false, 'EUR'], ['products', wallet]],
  ])('is asked for: %s', async (_what, given, answers, asks) => {
    const ran = await creating(given, [...answers, place, false])
    const products = [product, 'Quantity (1 to 5, or more as a batch) (1)', another]
    expect(ran.questions.map((each) => each.replace(/orderctl-[\w-]+/, 'made-up'))).toEqual([
      ...asks.flatMap((each) => (each === 'products' ? products : [each])),
      'Enter to place the order (spends nothing yet), e to change it, Esc to cancel',
      'Confirm the order and spend 46.12 EUR?',
    ])
    expect(ran).toMatchObject({ exit: 0, calls: 'create', sent: await byFlags(['create', ...flags]) })
    expect(wordsOf(ran.command)).toEqual(['create', ...flags])
  })

  test('that is nothing: nothing is asked', async () => {
    expect(await creating(flags, [])).toMatchObject({ exit: 0, questions: [], calls: 'create' })
  })

  test.each<[string, string[], Situation]>([
    ['with --no-input', ['--no-input'], {}],
    ['with ORDERCTL_NO_INPUT', [], { env: { ORDERCTL_NO_INPUT: '1' } }],
    ['with --json', ['--json'], {}],
    ['with -q', ['-q'], {}],
    ['where CI is set', [], { env: { CI: 'true' } }],
    ['where stdin is no terminal', [], { terminals: ['stdout', 'stderr'] }],
    ['where stderr is no terminal', [], { terminals: ['stdin', 'stdout'] }],
  ])('is named %s', async (_case, words, situation) => {
    const ran = await creating(words, [], situation)
    expect(ran).toMatchObject({ exit: 2, questions: [], sent: [] })
    expect(ran.stderr).toMatch(/--product is missing[\s\S]*--wallet is missing/)
    expect(ran.stderr).not.toContain('Enter takes')
  })

  test('is not asked for where what is there is wrong', async () => {
    const ran = await creating(['--product', 'GAME-US:25x6', '--webhook-url', 'ftp://x'], [])
    expect(ran).toMatchObject({ exit: 2, questions: [] })
    expect(ran.stderr).toMatch(/quantity is 6[\s\S]*--webhook-url is "ftp:/)
  })
})

describe('in the end', { concurrent: true }, () => {
  const whole = [...game, false, ...rest, place]

  test('a yes confirms it, watches it, and shows its cards masked', async () => {
    const ran = await creating([], [...whole, true])
    expect(ran.exit).toBe(0)
    expect(ran.calls).toMatch(/^create confirm$/)
    expect(ran.stdout).toMatch(/successful[\s\S]*GAME-US .*••••/)
    expect(ran.stderr).toMatch(/Invoice[\s\S]*expires in 10 min|expires in 10 min[\s\S]*Invoice/)
    expect(wordsOf(ran.command)).toEqual([
      ...'create --product GAME-US:25x2 --wallet EUR --reference ref-1 --watch'.split(' '),
    ])
  })

  test('until when it can be confirmed is said once, by the clock of the service', async () => {
    const { stderr } = await creating([], [...whole, false], { clock: swiftClock() })
    expect(stderr).toContain(
      'You can confirm it until 2026-03-01 12:10:00 UTC, 10 min from now. After that,\nit expires and costs nothing.\n',
    )
    const shop = wizardDesk(overSocket)
    const answers = ['GAME-US', '25', 'fixed', '', false, ...rest, place, false]
    // The clock of the service is an hour ahead of this machine's.
    const clock = { ...realClock, now: () => Date.now() - 3_600_000 }
    const late = await shop.creating([], answers, { clock })
    const times = [
      ...late.stderr.matchAll(/(?:Validity .*|confirm it until )(\d{4}-\d\d-\d\d [\d:]{8} UTC)/g),
    ]
    expect(times).toHaveLength(2)
    expect(times[0]?.[1]).toBe(times[1]?.[1])
    expect(Date.parse(times[0]?.[1] ?? '')).toBeGreaterThan(Date.now())
    expect(late.stderr).toMatch(/UTC, (9|10) min from now/)
  })

  test('a no leaves it created, and says how it is confirmed', async () => {
    const ran = await creating([], [...whole, false])
    expect(ran).toMatchObject({ exit: 0, stdout: '', calls: 'create' })
    expect(scrub(ran.stderr)).toContain(
      'Confirm it: orderctl confirm sbx_1234567890abcdef\nThe same command without',
    )
    expect(ran.command).not.toMatch(/--(watch|confirm)/)
  })

  test('the order that was created is the result where stdout is elsewhere', async () => {
    const { stdout } = await creating([], [...whole, false], { terminals: ['stdin', 'stderr'] })
    expect(stdout).toMatch(/^Order .*\nReference {2}ref-1\n/)
  })

  test.each([['--confirm'], ['--watch']])('%s: nothing is asked about it', async (flag) => {
    const ran = await creating([flag], whole)
    expect(ran.exit).toBe(0)
    expect(ran.questions.at(-1)).toMatch(/^Enter to place the order and confirm it \(spends its total\), e /)
    expect(ran.calls).toMatch(/^create confirm$/)
    expect(ran.command.endsWith(` ${flag}`)).toBe(true)
  })

  test('--dry-run sends nothing', async () => {
    const ran = await creating(['--dry-run'], whole)
    expect(ran.questions.at(-1)).toMatch(/^Enter to check the order \(sends nothing\), e /)
    expect(ran).toMatchObject({ exit: 0, calls: '', sent: [] })
    expect(JSON.parse(ran.stdout)).toEqual((await byFlags(wordsOf(ran.command.replace(' --dry-run', ''))))[0])
  })

  test('the command is for a shell as it stands, and does not hold what may be secret', async () => {
    const words = '--webhook-url https://a.example/?token=canary --max-total 900 --confirm --reveal'.split(
      ' ',
    )
    const typed = `it's $(id) "5" & more`
    const ran = await creating(words, ['BOOK-DE', '7.50', '', false, 'EUR', typed, place])
    expect(ran.exit).toBe(0)
    expect(ran.stderr).not.toMatch(/canary.*\n$/)
    expect(wordsOf(ran.command)).toEqual([
      ...['create', '--product', 'BOOK-DE:7.50', '--wallet', 'EUR', '--reference', typed],
      ...['--webhook-url', 'WEBHOOK-URL', '--max-total', '900', '--reveal', '--confirm'],
    ])
  })
})
