// list --refresh, if two profiles of one account have different journals.
import path from 'node:path'
import { expect, test } from 'vitest'
import { openTeam } from '../journal/team.ts'

test('updates only the journal that it lists', async () => {
  const { shop, address, database, run } = await openTeam()
  const { ORDERCTL_BASE_URL: url = '', ORDERCTL_API_KEY: key = '' } = shop.environment
  const env = {
    ...{ ORDERCTL_BASE_URL: undefined, ORDERCTL_API_KEY: undefined, ORDERCTL_JOURNAL: undefined },
    ORDERCTL_CONFIG_DIR: path.join(shop.home, 'config'),
  }
  const must = async (words: readonly string[], input?: string): Promise<string> => {
    const { exit, stdout, stderr } = await run(words, input === undefined ? { env } : { env, input })
    expect({ words, exit, stderr }).toMatchObject({ words, exit: 0 })
    return stdout
  }
  const add = (name: string, ...more: string[]) =>
    must(['profile', 'add', name, '--base-url', url, '--key-stdin', ...more], key)
  const order = ['create', '--product', 'GAME-US:25', '--wallet', 'USD', '--reference']
  await add('second')
  await must([...order, 'po-1', '--confirm', '--profile', 'second'])
  await add('shop', '--use', '--journal', address)
  await must([...order, 'po-2'])
  // Both orders have the number 1 in their journal.
  const readShared = () => database.admin('SELECT number, reference, standing FROM orders')
  const before = await readShared()
  expect(before).toMatchObject([{ reference: 'po-2', standing: 'created' }])

  const listed = await must(['list', '--refresh', '--profile', 'second', '--json'])
  expect(JSON.parse(listed)).toMatchObject([{ reference: 'po-1', state: 'confirmed' }])
  expect(await readShared()).toEqual(before)
})
