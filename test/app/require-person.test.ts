// An assistant in a shell spends, settles, approves and takes codes of a real account only if a person consents.
import { expect, test } from 'vitest'
import { assistants } from '../../src/cli/assistants.ts'
import { openWorld, overSocketUnhurried, type Way } from '../support/world.ts'

const terminals = ['stdin', 'stdout', 'stderr'] as const

const order = ['create', '--product', 'GAME-US:25', '--wallet', 'USD']

const openShop = async (way: Way = overSocketUnhurried) => {
  const shop = await openWorld(way)
  const id = await shop.id(...order)
  const paid = await shop.id(...order, '--confirm')
  await shop.run(['batch', 'plan', '--product', 'GAME-US:25', '--wallet', 'USD', '--name', 'gifts'])
  const before = await shop.asked()
  return { shop, id, paid, sent: async () => (await shop.asked()).slice(before.length).trim() }
}

const plan = `bat_${'a'.repeat(32)}`

const guarded = (id: string, paid: string): readonly (readonly [act: string, words: readonly string[]])[] => [
  ['spend money from a real account', [...order, '--confirm']],
  ['spend money from a real account', [...order, '--watch', '--json']],
  ['spend money from a real account', ['confirm', id, '--yes']],
  ['spend money from a real account', ['batch', 'run', 'gifts', '--max-total', '30', '--yes']],
  ['settle an order', ['reconcile', id, '--settle', 'not-spent', '--reason', 'seen']],
  ['approve a batch', ['batch', 'approve', 'gifts', '--plan', plan, '--max-total', '30', '--yes']],
  ['reveal codes of a real account', ['get', paid, '--reveal']],
  ['reveal codes of a real account', ['redeem', paid, '--reveal']],
  ['reveal codes of a real account', ['redeem', paid, '--copy']],
  ['reveal codes of a real account', ['redeem', paid, '--export', 'cards.csv']],
  ['reveal codes of a real account', ['batch', 'export', 'gifts', 'codes.csv']],
  ['change the limits of a real account', ['profile', 'limits', '--budget', '10USD/day']],
  ['change profiles', ['profile', 'add', 'shop', '--base-url', 'https://shop.test', '--key-stdin']],
  ['change profiles', ['profile', 'set', 'shop', '--assistants', 'allow']],
  ['change profiles', ['profile', 'use', 'shop']],
  ['change profiles', ['profile', 'remove', 'shop']],
  ['change profiles', ['profile', 'use', 'sandbox']],
  ['cancel a batch', ['batch', 'cancel', 'gifts', '--yes']],
  ['reveal codes of a real account', [...order, '--webhook-url', 'https://hooks.example/x']],
  ['reveal codes of a real account', ['listen', 'replay', '--forward-to', 'http://127.0.0.1:9/']],
  ['reveal codes of a real account', ['listen', '--port', '0', '--forward-to', 'http://127.0.0.1:9/']],
  ['give permissions in a journal', ['journal', 'migrate', '--grant-limits', 'intern']],
  ['forget a journal', ['journal', 'forget', '--yes']],
  ['forget a journal', ['journal', 'forget', '--profile', 'sandbox', '--yes']],
]

test.each(Object.keys(assistants))(
  '%s: every such command ends with 12, and nothing is sent',
  async (name) => {
    const { shop, id, paid, sent } = await openShop()
    const env = { [name]: name === 'CURSOR_EXTENSION_HOST_ROLE' ? 'agent-exec' : '1' }
    for (const [act, words] of guarded(id, paid)) {
      const { exit, stdout, stderr } = await shop.run(words, { env })
      expect({ words, exit, stdout }).toEqual({ words, exit: 12, stdout: '' })
      expect(stderr).toContain(
        `only a person may ${act}, but an assistant runs this command (${name} is set)`,
      )
      expect(stderr).not.toContain('ORDERCTL_ALLOW_AGENT')
    }
    expect(await sent()).toBe('')
  },
)

const env = { CLAUDECODE: '1' }

test('the message has the command for a person, as it was typed', async () => {
  const { shop } = await openShop()
  const { stderr } = await shop.run(['confirm', "it's", '--yes'], { env })
  expect(stderr.split('\n').at(-2)).toBe(
    "Let a person run it in a terminal: orderctl confirm 'it'\\''s' --yes",
  )
  for (const flag of ['--allow-duplicate', '--accept-changes']) {
    const risky = await shop.run(['confirm', 'x', flag], { env })
    expect(risky.stderr.split('\n').at(-2)).toBe('Let a person run it in a terminal.')
  }
})

test('on a terminal, it asks a person first', async () => {
  const { shop, sent } = await openShop()
  const words = [...order, '--confirm', '-q']
  const question =
    'An assistant runs this command (CLAUDECODE is set). Allow it to spend money from a real account?'
  const refused = await shop.runIn(words, { env, terminals, answers: [false] })
  expect(refused).toMatchObject({ exit: 130, questions: [question] })
  expect(await sent()).toBe('')
  const allowed = await shop.runIn(words, { env, terminals, answers: [true] })
  expect(allowed, allowed.stderr).toMatchObject({ exit: 0 })
  expect(await sent()).toContain('confirm')
})

test.each([
  order.join(' '),
  ...['get @last', 'batch plan --product GAME-US:25 --wallet USD --name more', 'reconcile', 'profile limits'],
])('%s is free, because it spends nothing', async (line) => {
  const { shop } = await openShop()
  const { exit, stderr } = await shop.run(line.split(' '), { env })
  expect(exit, stderr).toBe(0)
})

test('the sandbox is free, and so is an account for which a person has allowed it', async () => {
  const { shop: sandbox } = await openShop({})
  expect((await sandbox.run([...order, '--confirm'], { env })).exit).toBe(0)
  const { shop } = await openShop()
  const allowed = { ...env, ORDERCTL_ALLOW_AGENT: '1' }
  expect((await shop.run([...order, '--confirm'], { env: allowed })).exit).toBe(0)

  const { ORDERCTL_BASE_URL: url = '', ORDERCTL_API_KEY: key = '' } = shop.environment
  const profiles = { ORDERCTL_BASE_URL: undefined, ORDERCTL_API_KEY: undefined }
  const add = ['profile', 'add', 'shop', '--base-url', url, '--key-stdin', '--use', '--key-store', 'file']
  expect((await shop.run(add, { env: profiles, input: key })).exit).toBe(0)
  const buy = () => shop.run([...order, '--confirm'], { env: { ...env, ...profiles } })
  expect((await buy()).exit).toBe(12)
  await shop.run(['profile', 'set', 'shop', '--assistants', 'allow'], { env: profiles })
  expect((await buy()).exit).toBe(0)
  const raise = ['profile', 'limits', '--budget', '1000000USD/day']
  expect((await shop.run(raise, { env: { ...env, ...profiles } })).exit).toBe(12)
  await shop.run(['profile', 'set', 'shop', '--assistants', 'refuse'], { env: profiles })
  expect((await buy()).exit).toBe(12)
})

test.each<[string, Record<string, string | undefined>]>([
  ['profiles that cannot be read', { ORDERCTL_CONFIG_DIR: '/dev/null' }],
  [
    'no account',
    { ORDERCTL_BASE_URL: undefined, ORDERCTL_API_KEY: undefined, ORDERCTL_CONFIG_DIR: '/dev/null' },
  ],
])('%s: nothing is spent or settled', async (_, more) => {
  const { shop, id, sent } = await openShop()
  for (const words of [
    [...order, '--confirm'],
    ['reconcile', id, '--settle', 'spent', '--reason', 'x'],
  ])
    expect((await shop.run(words, { env: { ...env, ...more } })).exit).toBe(12)
  expect(await sent()).toBe('')
})

test('an assistant does not replace the plan that a person has read', async () => {
  const { shop } = await openShop()
  const other = ['batch', 'plan', '--product', 'GAME-US:25x40', '--wallet', 'USD', '--name', 'gifts']
  expect((await shop.run(other, { env })).exit).toBe(11)
  expect((await shop.run(other)).exit).toBe(0)
})
