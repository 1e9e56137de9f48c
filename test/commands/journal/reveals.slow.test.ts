// list --reveals in a shared journal names the database role.
import { expect, test } from 'vitest'
import { overSocket } from '../../support/world.ts'
import { buy, openTeam } from './team.ts'

test('list --reveals shows the role, and its JSON the login name, too', async () => {
  const { run, json, database } = await openTeam({ way: overSocket })
  const { exit, stderr } = await run([...buy, '--watch', '--reveal'])
  expect(exit, stderr).toBe(0)
  const [reveal] = await json('list', '--reveals')
  expect(reveal).toMatchObject({ who: 'tester', by: { role: database.nameOf('ana'), user: 'tester' } })
  const { stdout } = await run(['list', '--reveals'], { env: { COLUMNS: '200' } })
  expect(stdout).toContain(` ${database.nameOf('ana')} `)
  expect(stdout).not.toContain('tester')
})
