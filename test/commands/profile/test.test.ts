// profile test: what a response says about the address and the key. profile set: what it changes.
import { expect, test } from 'vitest'
import { apiKey } from '../../support/embedded.ts'
import { openWorld, overNetwork, respond } from '../../support/world.ts'

const noAccount = { ORDERCTL_BASE_URL: undefined, ORDERCTL_API_KEY: undefined }

const openShop = async (key = apiKey) => {
  const shop = await openWorld(overNetwork)
  const run = async (line: string, input = '') => {
    const { exit, stdout, stderr } = await shop.runIn(line.split(' '), { env: noAccount, input })
    return { exit, stdout, stderr: stderr.replaceAll('\n', ' ') }
  }
  await run(
    'profile add shop --base-url https://orders.example.com --wallet EUR --account eu --key-stdin',
    key,
  )
  return { through: shop.through, run }
}

test.each([
  [404, 'no such page'],
  [400, 'Bad Request'],
])('a response %i %s does not show that the address is right', async (status, message) => {
  const { run, through } = await openShop()
  through(async () => respond(status, message))
  const { exit, stdout, stderr } = await run('profile test shop')
  expect({ exit, stdout }).toEqual({ exit: 5, stdout: '' })
  expect(stderr).toContain(
    `cannot tell whether the base URL is right: the service documents no response '${status} ${message}' try: orderctl profile set shop Check the base URL.`,
  )
  const { checks } = JSON.parse((await run('doctor --json')).stdout)
  expect(checks).toContainEqual(
    expect.objectContaining({
      ...{ group: 'Profiles', name: 'shop', status: 'warning' },
      fix: 'orderctl profile set shop',
      advice: 'Check the base URL.',
    }),
  )
})

test('the fix for a rejected key names the profile', async () => {
  const { run } = await openShop('wrong-key')
  const { exit, stderr } = await run('profile test shop')
  expect(exit).toBe(4)
  expect(stderr).toContain(
    'try: orderctl profile set shop --key-stdin Replace the key, or check how it is sent: orderctl profile show shop',
  )
  expect((await run('profile set shop --key-stdin', apiKey)).exit).toBe(0)
  expect((await run('profile test shop')).exit).toBe(0)
})

test('set changes the given settings, and keeps the others and the key', async () => {
  const { run } = await openShop()
  const show = async () => JSON.parse((await run('profile show shop --json')).stdout)
  const before = await show()
  expect((await run('profile set shop --wallet USD --base-url https://orders.example.com/v2')).exit).toBe(0)
  expect(await show()).toEqual({ ...before, wallet: 'USD', baseUrl: 'https://orders.example.com/v2' })
  expect((await run('profile set shop --account= --auth header:X-Api-Key --json')).exit).toBe(0)
  const changed = {
    account: null,
    wallet: 'USD',
    baseUrl: 'https://orders.example.com/v2',
    auth: 'header:X-Api-Key',
  }
  expect(await show()).toEqual({ ...before, ...changed })
  expect((await run('profile test shop')).exit).toBe(0)
  expect(await run('profile set shop')).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining('a setting, such as --wallet, is missing') as unknown,
  })
})
