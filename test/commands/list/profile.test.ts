// --profile of the commands that list what is in the journal: a typing error never looks like an empty list.
import { expect, test } from 'vitest'
import { openWorld } from '../../support/world.ts'
import { fillJournal } from './fill.ts'

const commands = ['list', 'list --reveals', 'report', 'report --csv', 'batch list', 'batch list --waiting']

test.each(commands)('%s accepts a saved profile without orders', async (command) => {
  const shop = await openWorld()
  const env = { ORDERCTL_BASE_URL: undefined, ORDERCTL_API_KEY: undefined }
  const url = 'https://orders.example.com'
  const key = shop.file('key', 'key.txt')
  await shop.run(['profile', 'add', 'eu', '--base-url', url, '--key-file', key], { env })
  expect(await shop.run([...command.split(' '), '--profile', 'eu'], { env })).toMatchObject({ exit: 0 })
})

test('the orders of a profile that is not saved any more are listed, and no other name is', async () => {
  const shop = await openWorld()
  await fillJournal(shop)
  const [{ profile }] = JSON.parse(await shop.must('list', '--json'))
  expect(profile).toBe('shop')
  expect(await shop.must('list', '-q', '--profile', 'shop')).toMatch(/^ord_/)
  const none = await shop.run(['list', '--profile', 'shop', '--reference', 'none'])
  expect(none).toMatchObject({ exit: 0, stderr: 'No matching orders\n' })
})
