// orderctl journal migrate: makes the tables, and gives the roles of a team what orderctl needs.
import { describe, expect, test } from 'vitest'
import { tables, versions } from '../../../src/journal/tables/list.ts'
import { openWorld } from '../../support/world.ts'
import { buy, openTeam, type Team } from './team.ts'

const migrate = ['journal', 'migrate']

test('makes the tables once, and says so', async () => {
  const { run, json, address, database } = await openTeam()
  expect(await run(migrate)).toEqual({
    exit: 0,
    stdout: `Created the journal ${address}.\n`,
    stderr: '',
  })
  expect(await run(migrate)).toEqual({
    exit: 0,
    stdout: `There is already a journal in ${address}.\n`,
    stderr: '',
  })
  expect(await json(...migrate)).toEqual({
    ...{ journal: address, created: false, version: versions.postgres },
    granted: [],
  })
  const made = await database.admin(
    "SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace",
  )
  expect(made.map(({ relname }) => relname).toSorted()).toEqual(tables.map(({ name }) => name).toSorted())
})

test('several at once make them once', async () => {
  const { run, database } = await openTeam()
  const all = await Promise.all(Array.from({ length: 4 }, () => run(migrate)))
  expect(all.map(({ exit, stderr }) => ({ exit, stderr }))).toEqual(all.map(() => ({ exit: 0, stderr: '' })))
  expect(all.filter(({ stdout }) => stdout.startsWith('Created'))).toHaveLength(1)
  expect(await database.admin('SELECT version FROM orderctl_journal')).toHaveLength(1)
})

test.each([
  ['UPDATE orderctl_journal SET version = 99', 'was written by a different version of orderctl'],
  ['DROP TABLE orderctl_journal', 'contains tables of a different program'],
])('refuses after %s, and changes nothing', async (sql, message) => {
  const { run, database } = await openTeam()
  await run(migrate)
  await database.admin(sql)
  const { exit, stderr } = await run(migrate)
  expect({ exit, stderr }).toEqual({ exit: 9, stderr: expect.stringContaining(message) })
})

test('a role whose search_path omits the schema of the journal does not make a second one', async () => {
  const { run, database, proxy } = await openTeam({ roles: ['ben'] })
  const ana = database.nameOf('ana')
  await database.admin(
    `CREATE SCHEMA team AUTHORIZATION ${ana}; ALTER ROLE ${ana} SET search_path = team;
     GRANT CREATE ON SCHEMA public TO PUBLIC`,
  )
  expect((await run(buy)).exit).toBe(0)
  const { exit, stderr } = await run(buy, { env: { ORDERCTL_JOURNAL: database.address('ben', proxy) } })
  expect({ exit, stderr }).toEqual({
    exit: 9,
    stderr: expect.stringContaining('contains a journal in the schema team, which is not in the search_path'),
  })
})

test('of a file: says that the first order creates it', async () => {
  const shop = await openWorld()
  expect(await shop.run(migrate)).toEqual({
    exit: 0,
    stdout: 'This journal is a file. orderctl creates it with your first order, so there is nothing to do.\n',
    stderr: '',
  })
  for (const flag of ['--grant', '--grant-limits']) {
    const { exit, stderr } = await shop.run([...migrate, flag, 'ben'])
    expect({ exit, stderr }).toEqual({
      exit: 2,
      stderr: expect.stringContaining(`error: ${flag} needs a shared journal, but this journal is a file\n`),
    })
  }
})

describe('--grant', () => {
  const asBen = ({ database, proxy }: Team) => ({
    env: { ORDERCTL_JOURNAL: database.address('ben', proxy) },
  })

  test('lets a role order, plan again and read', async () => {
    const team = await openTeam({ roles: ['ben'] })
    const { run, database, shop } = team
    const grant = [...migrate, '--grant', database.nameOf('ben')]
    expect((await run(grant)).stdout).toContain(`The role ${database.nameOf('ben')} may use the journal.\n`)
    expect((await run(grant)).exit).toBe(0)
    const ran = await run(buy, asBen(team))
    expect(ran.exit, ran.stderr).toBe(0)
    const rows = shop.file('sku,quote,quantity\nGAME-US,25,1\n', 'rows.csv')
    const plan = ['batch', 'plan', rows, '--name', 'gifts', '--wallet', 'USD']
    expect((await run(plan, asBen(team))).exit).toBe(0)
    shop.file('sku,quote,quantity\nGAME-US,25,2\n', 'rows.csv')
    const again = await run(plan, asBen(team))
    expect(again.exit, again.stderr).toBe(0)
    for (const words of [['list'], ['batch', 'list'], ['journal', 'status'], ['reconcile']]) {
      const { exit, stderr } = await run(words, asBen(team))
      expect(exit, stderr).toBe(0)
    }
  })

  test('lets it do no more', async () => {
    const { run, database } = await openTeam({ roles: ['ben'] })
    const ben = database.nameOf('ben')
    await run([...migrate, '--grant', ben])
    const rights = await database.admin(
      `SELECT c.relname AS table, string_agg(p.name, ' ' ORDER BY p.position) AS rights
       FROM pg_class c, (VALUES (1, 'SELECT'), (2, 'INSERT'), (3, 'UPDATE'), (4, 'DELETE'), (5, 'TRUNCATE'),
         (6, 'REFERENCES'), (7, 'TRIGGER')) AS p (position, name)
       WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace AND has_table_privilege($1, c.oid, p.name)
       GROUP BY 1`,
      [ben],
    )
    const rightsOf = (table: string) => rights.find((each) => each.table === table)?.rights
    expect(rights).toHaveLength(tables.length)
    expect(rightsOf('orderctl_journal')).toBe('SELECT')
    expect(rightsOf('approvals')).toBe('SELECT INSERT')
    expect(rightsOf('limits')).toBe('SELECT')
    // A limit belongs to a row of this table.
    expect(rightsOf('accounts')).toBe('SELECT INSERT')
    expect(rightsOf('orders')).toBe('SELECT INSERT UPDATE')
    expect(rightsOf('calls')).toBe('SELECT INSERT UPDATE')
    expect(rightsOf('batches')).toBe('SELECT INSERT UPDATE DELETE')
    expect(rightsOf('batch_rows')).toBe('SELECT INSERT')
    expect(rightsOf('batch_cards')).toBe('SELECT INSERT UPDATE')
    expect(rights.filter(({ rights: some }) => /TRUNCATE|REFERENCES|TRIGGER/.test(String(some)))).toEqual([])
    expect(
      await database.admin("SELECT has_schema_privilege($1, 'public', 'CREATE') AS creates", [ben]),
    ).toEqual([{ creates: false }])
  })

  test('an unknown role: nothing is changed', async () => {
    const { run, database } = await openTeam()
    for (const role of ['nobody at all', 'public', 'x"; DROP TABLE orders; --']) {
      const { exit, stderr } = await run([...migrate, '--grant', role])
      expect({ exit, stderr }).toEqual({
        exit: 2,
        stderr: expect.stringContaining(
          `error: the server has no role ${JSON.stringify(role)}; nothing was changed\n`,
        ),
      })
    }
    expect(await database.admin("SELECT 1 FROM pg_class WHERE relname = 'orders'")).toEqual([])
  })

  test('--grant-limits lets a role change limits, and --grant does not', async () => {
    const team = await openTeam({ roles: ['ben', 'carla'] })
    const { run, database } = team
    const [ben, carla] = [database.nameOf('ben'), database.nameOf('carla')]
    const granted = await run([...migrate, '--grant', ben, '--grant', carla, '--grant-limits', carla])
    expect(granted.stdout).toContain(
      `The role ${ben} may use the journal.\nThe role ${carla} may use the journal, and change its limits.\n`,
    )
    const asCarla = { env: { ORDERCTL_JOURNAL: database.address('carla', team.proxy) } }
    const limit = (...words: string[]) => ['profile', 'limits', ...words]
    expect((await run(limit('--budget', '40USD/day', '--approve-above', '30USD'), asCarla)).exit).toBe(0)
    for (const words of [
      ['--budget', '900USD/day'],
      ['--approve-above', '900USD'],
      ['--remove-budget', 'day'],
      ['--remove-approval', 'USD'],
    ]) {
      const { exit, stderr } = await run(limit(...words), asBen(team))
      expect({ exit, stderr }).toEqual({
        exit: 9,
        stderr: `error: the database role ${ben} may not change limits; nothing was changed\nAsk the owner of the tables to run this: orderctl journal migrate --grant-limits ${ben}\n`,
      })
    }
    expect((await run(limit(), asBen(team))).stdout).toMatch(/^40\.00 USD per day .*40\.00 USD/m)
    // The limits hold for a role that may only lock them.
    expect((await run(buy, asBen(team))).exit).toBe(0)
    const over = await run([...buy.slice(0, -3), '--reference', 'po-2', '--confirm'], asBen(team))
    expect(over.exit, over.stderr).toBe(12)
    expect((await run(limit('--remove-budget', 'day', '--remove-approval', 'USD'), asCarla)).exit).toBe(0)
  })

  test('quotes the names of roles', async () => {
    const { run, database } = await openTeam()
    const role = `${database.name} "Ana's", ; --`
    const quoted = `"${role.replaceAll('"', '""')}"`
    await database.admin(`CREATE ROLE ${quoted}`)
    try {
      const { exit, stdout, stderr } = await run([...migrate, '--grant', role])
      expect(exit, stderr).toBe(0)
      expect(stdout).toContain(`The role ${role} may use the journal.\n`)
      expect(
        await database.admin("SELECT has_table_privilege($1, 'orders', 'UPDATE') AS may", [role]),
      ).toEqual([{ may: true }])
    } finally {
      await database.admin(`DROP OWNED BY ${quoted}; DROP ROLE ${quoted}`)
    }
  })

  test('gives back what was revoked from everyone', async () => {
    const team = await openTeam({ roles: ['ben'] })
    const { run, database } = team
    await run(migrate)
    await database.admin(`REVOKE ALL ON DATABASE ${database.name} FROM PUBLIC;
      REVOKE ALL ON SCHEMA public FROM PUBLIC; GRANT ALL ON SCHEMA public TO ${database.nameOf('ana')} WITH GRANT OPTION`)
    expect((await run(['list'], asBen(team))).exit).toBe(9)
    const granted = await run([...migrate, '--grant', database.nameOf('ben')])
    expect(granted.exit, granted.stderr).toBe(0)
    expect((await run(['list'], asBen(team))).exit).toBe(0)
  })

  test('by a role that does not own the tables: exit 9, and the owner is named', async () => {
    const team = await openTeam({ roles: ['ben', 'carla'] })
    const { run, database, address } = team
    const [ben, carla] = [database.nameOf('ben'), database.nameOf('carla')]
    await run([...migrate, '--grant', ben])
    const { exit, stderr } = await run([...migrate, '--grant', carla], asBen(team))
    const theirs = database.address('ben', team.proxy)
    expect({ exit, stderr }).toEqual({
      exit: 9,
      stderr: `error: the role ${ben} does not own the tables of ${theirs}; nothing was changed
Run the command as the owner, with ORDERCTL_JOURNAL=${address}
`,
    })
    expect((await run(migrate, asBen(team))).stdout).toContain('There is already a journal in')
    await database.admin('UPDATE orderctl_journal SET version = 0')
    expect((await run(migrate, asBen(team))).exit).toBe(9)
  })
})
