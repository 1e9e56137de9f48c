// profile add and profile set on a terminal: what they ask for, and when they ask nothing.
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { apiKey } from '../../support/embedded.ts'
import type { Situation } from '../../support/in-process.ts'
import { openWorld, overNetwork, respond, type World } from '../../support/world.ts'

const address = 'https://orders.example.com'
const [askName, askAddress, askAuth] = ['Name of the profile', 'Base URL (https://…)', 'How is the key sent?']
const [askWallet, askKey] = ['Wallet to pay from, such as USD (- for none) (-)', 'Key (not shown) *']
const askEach = [askAddress, askAuth, askWallet, askKey]
const askAnyway = 'What do you want to do?'
const askUse = 'Use the profile shop from now on?'
const noAccount = { ORDERCTL_BASE_URL: undefined, ORDERCTL_API_KEY: undefined }
const ok =
  'ok: the service responds and did not refuse the key (404 Not Found, for an order that does not exist)\n'

const running = async (shop: World, words: readonly string[], { env, ...situation }: Situation) => {
  const ran = await shop.runIn(['profile', ...words], {
    terminals: ['stdin', 'stdout', 'stderr'],
    env: { ...noAccount, ...env },
    ...situation,
  })
  const { data } = await shop.asks(['profile', 'list'], { env: noAccount })
  const { exit, stdout, stderr, questions } = ran
  const asked = questions.map((each) => each.replace(/(?<=\?) .* \/ .*/, ''))
  return { exit, stdout, stderr, questions: asked, kept: data.map(({ name }: { name: string }) => name) }
}

const adding = (shop: World, situation: Situation, ...flags: string[]) =>
  running(shop, ['add', 'shop', ...flags], situation)

/** Writes the key into a file and returns its name. */
const keyFile = (shop: World, text = apiKey): string => {
  writeFileSync(path.join(shop.home, 'key.txt'), text)
  return 'key.txt'
}

const added = async () => {
  const shop = await openWorld(overNetwork)
  await adding(shop, { answers: [address, 'bearer', 'USD', apiKey, false] })
  return shop
}

const saved = (shop: World): string =>
  readFileSync(path.join(shop.home, '.config', 'orderctl', 'profiles.json'), 'utf8')

test('it asks for each setting, tests the profile, and offers to use it', async () => {
  const shop = await openWorld(overNetwork)
  const answers = [address, 'bearer', 'USD', apiKey, true]
  const ran = await adding(shop, { answers })
  expect(ran).toMatchObject({
    exit: 0,
    stderr: `Using the profile shop: ${address}\n${ok}The profile shop is now in use\n`,
    questions: [...askEach, askUse],
    kept: ['sandbox', 'shop'],
  })
  expect(ran.stdout).toContain(address)
  expect(ran.stdout).not.toContain(apiKey)
  expect(saved(shop)).toContain(apiKey)
})

test('without a name, it asks for the name', async () => {
  const shop = await openWorld(overNetwork)
  const answers = ['sandbox', 'shop', address, 'bearer', '-', apiKey, true]
  expect(await running(shop, ['add'], { answers })).toMatchObject({
    exit: 0,
    questions: [askName, 'allowed: a different name: sandbox is built in', askName, ...askEach, askUse],
    kept: ['sandbox', 'shop'],
  })
  expect(saved(shop)).not.toContain('wallet')
})

test('it asks for the name of a header that has the key', async () => {
  const shop = await openWorld(overNetwork)
  const sent: unknown[] = []
  shop.through(async (request, service) => {
    sent.push(request.headers)
    return service(request)
  })
  const answers = [address, 'header', 'Host', 'X-Api-Key', 'USD', apiKey, false]
  const { questions } = await adding(shop, { answers })
  const askHeader = 'Name of the header'
  expect(questions).toEqual([
    ...[
      askAddress,
      askAuth,
      askHeader,
      'allowed: header:NAME with a header that requests do not already use',
    ],
    ...[askHeader, askWallet, askKey, askUse],
  ])
  expect(sent).toMatchObject([{ 'x-api-key': apiKey }])
  expect(saved(shop)).toContain('X-Api-Key')
})

test('it asks only for what is missing', async () => {
  const shop = await openWorld(overNetwork)
  const all = ['--base-url', address, '--wallet', 'USD']
  expect(await adding(shop, { answers: ['bearer', apiKey, false] }, ...all)).toMatchObject({
    stderr: expect.stringMatching(/To use it later: orderctl profile use shop\n$/) as unknown,
    questions: [askAuth, askKey, askUse],
  })
  const flags = ['--key-file', keyFile(shop), '--replace', '--auth', 'bearer']
  expect(await adding(shop, { answers: [address, 'USD'] }, ...flags, '--use')).toMatchObject({
    questions: [`${askAddress} (${address})`, 'Wallet to pay from, such as USD (- for none) (USD)'],
  })
  expect(await adding(shop, {}, ...flags, '--base-url', address)).toMatchObject({ exit: 0, questions: [] })
})

test.each([
  ['the first', [undefined], [askAddress]],
  ['the last', [address, 'bearer', 'USD', undefined], askEach],
])('it adds nothing if %s prompt is cancelled', async (_which, answers, questions) => {
  expect(await adding(await openWorld(overNetwork), { answers })).toEqual({
    exit: 130,
    stdout: '',
    stderr: 'Cancelled; nothing was saved\n',
    questions,
    kept: ['sandbox'],
  })
})

test('it asks again for a wrong name, address, wallet and key, with the reason', async () => {
  const shop = await added()
  const addresses = ['orders.example.com', 'http://far.example', address]
  const answers = ['eu', ...addresses, 'bearer', 'US dollars', 'EUR', ' ', apiKey, true]
  const ran = await adding(shop, { answers })
  expect(ran.questions).toEqual([
    ...[askName, askAddress, 'allowed: a URL that begins with https:// or http://'],
    ...[askAddress, 'allowed: https (http only to this machine, or with --allow-http)', askAddress],
    ...[askAuth, askWallet, 'allowed: a currency code of 2 to 12 letters and digits, such as USD', askWallet],
    ...[askKey, askKey, askUse.replace('shop', 'eu')],
  ])
  expect(ran.stderr).toMatch(
    /^The name cannot be used; the profile shop already exists\. Enter another name, or press Ctrl-C and type: orderctl profile set shop\nThe key is empty\. Copy the complete key again\.\n/,
  )
  expect(ran.kept).toEqual(['sandbox', 'shop', 'eu'])
})

test('it asks nothing if a flag is wrong', async () => {
  expect(await adding(await openWorld(overNetwork), {}, '--wallet', 'US dollars')).toMatchObject({
    exit: 2,
    questions: [],
    kept: ['sandbox'],
  })
})

test('it checks the name before it reads the key', async () => {
  const shop = await added()
  const ran = await adding(shop, {}, '--base-url', address, '--key-file', keyFile(shop, ''))
  expect(ran).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining('already exists\ntry: orderctl profile set shop\nTo replace') as unknown,
  })
})

test('after a failed test, the answers can be changed, and Enter keeps the key', async () => {
  const shop = await openWorld(overNetwork)
  let isWrong = true
  shop.through(async (request, service) => {
    if (!isWrong) return service(request)
    isWrong = false
    return respond(404, 'no such page')
  })
  const wrong = `${address}/wrong`
  const answers = [wrong, 'bearer', 'USD', apiKey, 'change', address, 'bearer', 'USD', '', true]
  const ran = await adding(shop, { answers })
  expect(ran).toMatchObject({ exit: 0, kept: ['sandbox', 'shop'] })
  expect(ran.questions).toEqual([
    ...[...askEach, askAnyway, `${askAddress} (${wrong})`, askAuth],
    ...[
      'Wallet to pay from, such as USD (- for none) (USD)',
      'Key (not shown; Enter keeps the present one) *',
    ],
    askUse,
  ])
  expect(ran.stderr).toContain('error: cannot tell whether the base URL is right')
  expect(ran.stderr).not.toContain('try: ')
  expect(saved(shop)).toContain(apiKey)
})

test('a profile that fails the test is saved only on request', async () => {
  const shop = await openWorld(overNetwork)
  const answers = [address, 'bearer', 'USD', 'wrong-key']
  expect(await adding(shop, { answers: [...answers, undefined] })).toMatchObject({
    exit: 130,
    questions: [...askEach, askAnyway],
    kept: ['sandbox'],
  })
  expect(await adding(shop, { answers: [...answers, 'save', false] })).toMatchObject({
    exit: 0,
    kept: ['sandbox', 'shop'],
  })
})

test.each<[string, string[], Situation]>([
  ['with --no-input', ['--no-input'], {}],
  ['with --json', ['--json'], {}],
  ['if CI is set', [], { env: { CI: '1' } }],
  ['if stdin is not a terminal', [], { terminals: ['stdout', 'stderr'] }],
])('it asks nothing %s, and names the flag', async (_case, flags, situation) => {
  const shop = await openWorld(overNetwork)
  const ran = await adding(shop, situation, ...flags)
  expect(ran).toMatchObject({ exit: 2, stdout: '', questions: [], kept: ['sandbox'] })
  expect(ran.stderr).toContain('--base-url is missing')
  const { stderr } = await running(shop, ['add', ...flags], situation)
  expect(stderr).toContain('the name of the profile is missing')
})

test('profile set without a flag asks for each setting, and Enter keeps it', async () => {
  const shop = await added()
  const answers = [address, 'bearer', 'EUR', '']
  expect(await running(shop, ['set', 'shop'], { answers })).toMatchObject({
    exit: 0,
    questions: [
      ...[`${askAddress} (${address})`, askAuth, 'Wallet to pay from, such as USD (- for none) (USD)'],
      'Key (not shown; Enter keeps the present one) *',
    ],
  })
  expect(saved(shop)).toMatch(/"wallet": "EUR"/)
  expect(saved(shop)).toContain(apiKey)
})

test('the key goes to another host only if it is given again', async () => {
  const shop = await added()
  const words = ['set', 'shop', '--base-url', 'https://elsewhere.example.com']
  expect(await running(shop, words, { answers: [undefined] })).toMatchObject({
    exit: 130,
    questions: [askKey],
  })
  expect(await running(shop, words, { terminals: [] })).toMatchObject({
    exit: 2,
    stderr:
      'error: --base-url names another host, so the key of this host is needed\nAdd --key-stdin, --key-file or --credential-command.\n',
  })
  expect(saved(shop)).toContain(address)
  expect(await running(shop, ['set', 'shop', '--base-url', `${address}/v2`], {})).toMatchObject({ exit: 0 })
  expect(saved(shop)).toContain(`${address}/v2`)
})
