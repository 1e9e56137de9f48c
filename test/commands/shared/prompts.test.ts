// What a person on a terminal is asked before money is spent or an account is kept, and when nobody is asked.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Customer, openerFor, overSocket, overSocketUnhurried, scrub } from '../../support/customer.ts'
import type { Situation } from '../../support/in-process.ts'

const id = 'sbx_1234567890abcdef'

describe('confirm on a terminal', { concurrent: true }, () => {
  const open = openerFor(overSocketUnhurried)
  const question = 'Confirm the order and spend 25.00 USD?'

  const confirming = async (situation: Situation, ...flags: string[]) => {
    const shop = await open()
    const order = await shop.created('GAME-US:25')
    const ran = await shop.atTerminal(['confirm', order, ...flags], situation)
    const { exit, stdout, stderr, questions, onTerminal } = ran
    const asked = await shop.asked()
    return {
      exit,
      onTerminal,
      stdout: scrub(stdout),
      stderr: scrub(stderr),
      questions,
      asked,
      state: await shop.calls.state(order),
    }
  }

  test('shows what will be spent, asks, and confirms it on a yes', async () => {
    const ran = await confirming({ answers: [true] })
    expect(ran).toMatchObject({
      exit: 0,
      questions: [question],
      asked: 'create get confirm get',
      state: 'confirmed',
    })
    expect(ran.stdout).toMatch(/^Order .*\nReference .*\nState {6}… confirmed, /)
    expect(ran.stderr).toMatch(/Total {6}25\.00 USD, unpaid, .*\n(?:.*\n)*expires in 9 min \(estimated\)\n$/)
  })

  test.each([
    ['on a no', false, 130],
    ['where the question is left', undefined, 130],
  ])('sends nothing %s', async (_case, answer, exit) => {
    const ran = await confirming({ answers: [answer] })
    expect(ran).toMatchObject({
      exit,
      stdout: '',
      questions: [question],
      asked: 'create get',
      state: 'created',
    })
    expect(ran.stderr).toMatch(/\nerror: not confirmed; nothing was spent\n$/)
  })

  test('sends nothing where SIGTERM comes while it asks', async () => {
    const interrupted = new AbortController()
    const left = () => {
      interrupted.abort('SIGTERM')
      return false
    }
    expect(await confirming({ answers: [left], interrupted: interrupted.signal })).toMatchObject({
      exit: 143,
      stdout: '',
      asked: 'create get',
      state: 'created',
    })
  })

  test('asks with --json and -q too; stdout is the result alone', async () => {
    const json = await confirming(
      { answers: [true], terminals: ['stdin', 'stderr'] },
      '--json',
      '--fields',
      'state',
    )
    expect(json).toMatchObject({ exit: 0, questions: [question] })
    expect(JSON.parse(json.stdout)).toEqual({ state: 'confirmed' })
    expect(json.stderr).toContain('25.00 USD')
    const quiet = await confirming({ answers: [true] }, '-q')
    expect(quiet).toMatchObject({ exit: 0, questions: [question], stdout: `${id}\n` })
  })

  test('does not ask what --max-total forbids anyway', async () => {
    expect(await confirming({}, '--max-total', '24')).toMatchObject({
      exit: 3,
      questions: [],
      asked: 'create get',
    })
  })

  test('asks on the controlling terminal if stderr is redirected, and shows there what will be spent', async () => {
    const situation = { terminals: ['stdin', 'stdout'], controllingTerminal: true } as const
    const ran = await confirming({ ...situation, answers: [true] }, '-q')
    expect(ran).toMatchObject({ exit: 0, questions: [`${question} (terminal)`], state: 'confirmed' })
    expect(ran.onTerminal).toMatch(
      /^Using the environment: http.*\nOrder .*\n(?:.*\n)*Total {6}25\.00 USD, unpaid, .*\n(?:.*\n)*expires in (9|10) min/,
    )
    expect(ran.stderr).toBe('')
    const refused = await confirming({ ...situation, answers: [false] })
    expect(refused).toMatchObject({ exit: 130, asked: 'create get', state: 'created' })
    expect(refused.stderr).toMatch(/Total {6}25\.00 USD/)
  })

  test.each<[string, string[], Situation, string]>([
    ['with --no-input', ['--no-input'], {}, 'prompts are turned off'],
    ['with ORDERCTL_NO_INPUT', [], { env: { ORDERCTL_NO_INPUT: '1' } }, 'prompts are turned off'],
    ['if CI is set', [], { env: { CI: 'true' } }, 'CI is set'],
    [
      'if CI is set and stderr is redirected',
      [],
      { env: { CI: 'true' }, terminals: ['stdin'], controllingTerminal: true },
      'CI is set',
    ],
    [
      'without a controlling terminal',
      [],
      { terminals: ['stdin', 'stdout'] },
      'stderr is redirected and there is no controlling terminal',
    ],
  ])('needs --yes %s, and sends nothing without it', async (_case, flags, situation, reason) => {
    expect(await confirming(situation, ...flags)).toMatchObject({
      exit: 2,
      stdout: '',
      stderr: `error: confirm needs --yes, because it cannot prompt: ${reason}\ntry: Use --yes to spend without a prompt.\n`,
      questions: [],
      asked: 'create',
      state: 'created',
    })
    expect(await confirming(situation, ...flags, '--yes')).toMatchObject({ exit: 0, state: 'confirmed' })
  })

  test.each<[string, string[], Situation]>([
    ['with --yes', ['--yes'], {}],
    ['if stdin is no terminal', [], { terminals: ['stdout', 'stderr'], controllingTerminal: true }],
    ['if stdin is no terminal, in CI', ['--no-input'], { terminals: [], env: { CI: 'true' } }],
  ])('does not ask %s: the command is the consent', async (_case, flags, situation) => {
    expect(await confirming(situation, ...flags)).toMatchObject({
      exit: 0,
      questions: [],
      asked: 'create get confirm get',
      state: 'confirmed',
    })
  })
})

describe('profile add on a terminal', { concurrent: true }, () => {
  const open = openerFor(overSocket)
  const address = 'https://orders.example.com'
  const key = 'canary-key-0123456789'
  const [askAddress, askKey] = ['Base URL (https://…)', 'Key (not shown) *']
  const askTest = 'Test the profile now? This spends nothing.'
  const askUse = 'Use the profile shop from now on?'

  const adding = async (shop: Customer, situation: Situation, ...flags: string[]) => {
    const env = { ORDERCTL_CONFIG_DIR: path.join(shop.home, 'config'), ...situation.env }
    const ran = await shop.atTerminal(['profile', 'add', 'shop', ...flags], { ...situation, env })
    const listed = await shop.run(['profile', 'list', '--json'], { env })
    const kept = JSON.parse(listed.stdout).map(({ name }: { name: string }) => name)
    const { exit, stdout, stderr, questions } = ran
    return { exit, stdout, stderr, questions, kept }
  }

  test('asks for the address and the key, then offers to test the profile and to use it', async () => {
    const shop = await open()
    const ran = await adding(shop, { answers: [address, key, false, true] })
    expect(ran).toMatchObject({
      exit: 0,
      stderr: 'The profile shop is now in use\n',
      questions: [askAddress, askKey, askTest, askUse],
      kept: ['sandbox', 'shop'],
    })
    expect(ran.stdout).toContain(address)
    expect(ran.stdout).not.toContain(key)
    expect(readFileSync(path.join(shop.home, 'config', 'profiles.json'), 'utf8')).toContain(key)
  })

  test('asks for what is missing alone', async () => {
    expect(await adding(await open(), { answers: [key, false, false] }, '--base-url', address)).toMatchObject(
      {
        exit: 0,
        stderr: 'To use it later: orderctl profile use shop\n',
        questions: [askKey, askTest, askUse],
        kept: ['sandbox', 'shop'],
      },
    )
    const shop = await open()
    const flags = ['--key-file', shop.file(key, 'key'), '--use']
    expect(await adding(shop, { answers: [address, false] }, ...flags)).toMatchObject({
      exit: 0,
      questions: [askAddress, askTest],
      kept: ['sandbox', 'shop'],
    })
    const whole = ['--base-url', address, '--key-file', shop.file(key, 'key'), '--replace']
    expect(await adding(shop, {}, ...whole)).toMatchObject({ exit: 0, questions: [] })
  })

  test.each([
    ['the first', [undefined], [askAddress]],
    ['the second', [address, undefined], [askAddress, askKey]],
  ])('adds nothing where %s question is left', async (_which, answers, questions) => {
    expect(await adding(await open(), { answers })).toEqual({
      exit: 130,
      stdout: '',
      stderr: 'error: cancelled; no profile was added\n',
      questions,
      kept: ['sandbox'],
    })
  })

  test('asks again for a wrong name, address and key, with the reason', async () => {
    const shop = await open()
    await adding(shop, { answers: [address, key, false, false] })
    const answers = [
      'sandbox',
      'eu',
      'orders.example.com',
      'http://far.example',
      address,
      ' ',
      key,
      false,
      true,
    ]
    const ran = await adding(shop, { answers })
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
    const shop = await open()
    await adding(shop, { answers: [address, key, false, false] })
    const ran = await adding(shop, { answers: ['', key, false, true] }, '--replace')
    expect(ran.questions).toEqual([`${askAddress} (${address})`, askKey, askTest, askUse])
    expect(ran.stdout).toContain(address)
  })

  test('asks nothing where a flag is wrong', async () => {
    expect(await adding(await open(), {}, '--wallet', 'dollars')).toMatchObject({
      exit: 2,
      stdout: '',
      stderr: expect.stringContaining('wallet'),
      questions: [],
      kept: ['sandbox'],
    })
  })

  test('the name is checked before the key is read, also without questions', async () => {
    const shop = await open()
    await adding(shop, { answers: [address, key, false, false] })
    const ran = await adding(shop, {}, '--base-url', address, '--key-file', shop.file('', 'none'))
    expect(ran).toMatchObject({ exit: 2, stderr: expect.stringContaining('the profile shop already exists') })
  })

  test('a test that fails leaves the profile, and says so', async () => {
    const shop = await open()
    const answers = [shop.environment.ORDERCTL_BASE_URL, key, true, false]
    const env = { ORDERCTL_API_KEY: undefined, ORDERCTL_BASE_URL: undefined }
    const ran = await adding(shop, { answers, env })
    expect(ran).toMatchObject({ exit: 0, kept: ['sandbox', 'shop'] })
    expect(ran.stderr).toContain('The profile is saved. Test it again: orderctl profile test shop\n')
  })

  test.each<[string, string[], Situation]>([
    ['with --no-input', ['--no-input'], {}],
    ['with --json', ['--json'], {}],
    ['where CI is set', [], { env: { CI: '1' } }],
    ['where stdin is no terminal', [], { terminals: ['stdout', 'stderr'] }],
  ])('asks nothing %s, and names the flag', async (_case, flags, situation) => {
    const ran = await adding(await open(), situation, ...flags)
    expect(ran).toMatchObject({ exit: 2, stdout: '', questions: [], kept: ['sandbox'] })
    expect(ran.stderr).toContain('--base-url is missing')
  })
})
