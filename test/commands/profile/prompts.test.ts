// profile add on a terminal: what it asks for, and when it asks nothing.
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import type { Situation } from '../../support/in-process.ts'
import { openWorld, overNetwork, type World } from '../../support/world.ts'

const address = 'https://orders.example.com'
const key = 'canary-key-0123456789'
const [askAddress, askKey] = ['Base URL (https://…)', 'Key (not shown) *']
const askTest = 'Test the profile now? This spends nothing.'
const askUse = 'Use the profile shop from now on?'
const noAccount = { ORDERCTL_BASE_URL: undefined, ORDERCTL_API_KEY: undefined }

const adding = async (shop: World, { env, ...situation }: Situation, ...flags: string[]) => {
  const ran = await shop.runIn(['profile', 'add', 'shop', ...flags], {
    terminals: ['stdin', 'stdout', 'stderr'],
    env: { ...noAccount, ...env },
    ...situation,
  })
  const { data } = await shop.asks(['profile', 'list'], { env: noAccount })
  const { exit, stdout, stderr, questions } = ran
  return { exit, stdout, stderr, questions, kept: data.map(({ name }: { name: string }) => name) }
}

/** Writes the key into a file and returns its name. */
const keyFile = (shop: World, text = key): string => {
  writeFileSync(path.join(shop.home, 'key.txt'), text)
  return 'key.txt'
}

const added = async () => {
  const shop = await openWorld(overNetwork)
  await adding(shop, { answers: [address, key, false, false] })
  return shop
}

test('it asks for the address and the key, then offers to test the profile and to use it', async () => {
  const shop = await openWorld(overNetwork)
  const ran = await adding(shop, { answers: [address, key, false, true] })
  expect(ran).toMatchObject({
    exit: 0,
    stderr: 'The profile shop is now in use\n',
    questions: [askAddress, askKey, askTest, askUse],
    kept: ['sandbox', 'shop'],
  })
  expect(ran.stdout).toContain(address)
  expect(ran.stdout).not.toContain(key)
  expect(readFileSync(path.join(shop.home, '.config', 'orderctl', 'profiles.json'), 'utf8')).toContain(key)
})

test('it asks only for what is missing', async () => {
  const shop = await openWorld(overNetwork)
  expect(await adding(shop, { answers: [key, false, false] }, '--base-url', address)).toMatchObject({
    stderr: 'To use it later: orderctl profile use shop\n',
    questions: [askKey, askTest, askUse],
  })
  const flags = ['--key-file', keyFile(shop), '--replace']
  expect(await adding(shop, { answers: [address, false] }, ...flags, '--use')).toMatchObject({
    questions: [`${askAddress} (${address})`, askTest],
  })
  expect(await adding(shop, {}, ...flags, '--base-url', address)).toMatchObject({ exit: 0, questions: [] })
})

test.each([
  ['the first', [undefined], [askAddress]],
  ['the second', [address, undefined], [askAddress, askKey]],
])('it adds nothing if %s prompt is cancelled', async (_which, answers, questions) => {
  expect(await adding(await openWorld(overNetwork), { answers })).toEqual({
    exit: 130,
    stdout: '',
    stderr: 'error: cancelled; no profile was added\n',
    questions,
    kept: ['sandbox'],
  })
})

test('it asks again for a wrong name, address and key, with the reason', async () => {
  const shop = await added()
  const addresses = ['orders.example.com', 'http://far.example', address]
  const ran = await adding(shop, { answers: ['sandbox', 'eu', ...addresses, ' ', key, false, true] })
  expect(ran.questions).toEqual([
    ...['Name of the profile', 'allowed: another name: sandbox is built in', 'Name of the profile'],
    ...[askAddress, 'allowed: a URL that begins with https:// or http://'],
    ...[askAddress, 'allowed: https (http only to this machine, or with --allow-http)', askAddress],
    ...[askKey, askKey, askTest.replace('shop', 'eu'), askUse.replace('shop', 'eu')],
  ])
  expect(ran.stderr).toBe(
    'The name cannot be used; the profile shop already exists. Enter another name, or press Ctrl-C and add --replace\n' +
      'The key is empty. Copy the complete key again.\n' +
      'The profile eu is now in use\n',
  )
  expect(ran.kept).toEqual(['sandbox', 'shop', 'eu'])
})

test('with --replace, Enter keeps the address of the profile', async () => {
  const ran = await adding(await added(), { answers: ['', key, false, true] }, '--replace')
  expect(ran.stdout).toContain(address)
})

test('it asks nothing if a flag is wrong', async () => {
  expect(await adding(await openWorld(overNetwork), {}, '--wallet', 'dollars')).toMatchObject({
    exit: 2,
    questions: [],
    kept: ['sandbox'],
  })
})

test('it checks the name before it reads the key', async () => {
  const shop = await added()
  const ran = await adding(shop, {}, '--base-url', address, '--key-file', keyFile(shop, ''))
  expect(ran).toMatchObject({ exit: 2, stderr: expect.stringContaining('the profile shop already exists') })
})

test('a test that fails keeps the profile', async () => {
  const shop = await openWorld(overNetwork)
  const ran = await adding(shop, { answers: [address, key, true, false] })
  expect(ran).toMatchObject({
    exit: 0,
    stderr: expect.stringContaining('The profile is saved. Test it again: orderctl profile test shop\n'),
    kept: ['sandbox', 'shop'],
  })
})

test.each<[string, string[], Situation]>([
  ['with --no-input', ['--no-input'], {}],
  ['with --json', ['--json'], {}],
  ['if CI is set', [], { env: { CI: '1' } }],
  ['if stdin is not a terminal', [], { terminals: ['stdout', 'stderr'] }],
])('it asks nothing %s, and names the flag', async (_case, flags, situation) => {
  const ran = await adding(await openWorld(overNetwork), situation, ...flags)
  expect(ran).toMatchObject({ exit: 2, stdout: '', questions: [], kept: ['sandbox'] })
  expect(ran.stderr).toContain('--base-url is missing')
})
