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
