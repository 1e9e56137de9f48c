// Runs every command of docs/teams.md, in its order, with a PostgreSQL server and a service, and compares the outputs.
// Ana's home is that of the pages before.
import { expect } from 'vitest'
import { waitUntil } from '../support/wait-until.ts'
import { commandsOf, followBlocks, type Home } from './guide.ts'
import { blocks, openWorld, restoreBackup, type World } from './teams-world.ts'

/** Before the team, Ana ordered with the journal of her machine. */
const orderAlone = async ({ service, start }: World): Promise<void> => {
  const words = 'orderctl create --product GAME-US:25 --wallet USD --reference po-1 --confirm'
  const env = { ORDERCTL_BASE_URL: service.url, ORDERCTL_API_KEY: service.key }
  const { exitCode, all } = await start('ana', words, env)
  expect(exitCode, all).toBe(0)
}

type Child = ReturnType<World['start']>

const waitForRequest = async ({ all }: Child): Promise<void> => {
  let said = ''
  all.on('data', (bytes: Buffer) => {
    said += bytes
  })
  await waitUntil(() => said.includes('Waiting up to 2 h for an approval.'))
}

/** A job runs on a new machine each time. */
const runJobs = async ({ start, admin }: World, line: string): Promise<void> => {
  const both = await Promise.all([start('ci', line), start('ci', line)])
  for (const { exitCode, all } of both) expect(exitCode, all).toBe(0)
  const [row] = await admin.run(
    "SELECT count(*)::int AS orders FROM orders WHERE reference = 'nightly-11' AND confirmed_at IS NOT NULL",
  )
  expect(row).toEqual({ orders: 1 })
}

const withoutIds = (text: string): string => text.replaceAll(/bat_\w+/g, 'bat_ID')

/** The id of a plan differs with the port of the service. */
const insertPlanId = async ({ admin }: World, line: string): Promise<string> => {
  const [, name] = /approve (\w+) --plan/.exec(line) ?? []
  if (name === undefined) return line
  const [batch] = await admin.run(`SELECT id FROM batches WHERE name = '${name}'`)
  return line.replace(/bat_\w+/, String(batch?.id))
}

const createRunner = (world: World) => {
  const { server, start, generalize } = world
  let waiting: Child | undefined
  let commands = 0
  const runLine = async (role: string, line: string, exit: number): Promise<string> => {
    if (role === 'ci') await runJobs(world, line)
    const child = start(role, await insertPlanId(world, line))
    commands += 1
    if (line.includes('--wait ')) {
      await waitForRequest(child)
      waiting = child
      return ''
    }
    const ran = await child
    expect({ line, exit: ran.exitCode, all: ran.all }).toMatchObject({ exit })
    return generalize(ran.all)
  }
  /** Returns what its commands print. The first line of a block says whose it is, and when. */
  const runBlock = async (text: string): Promise<string> => {
    const [, role = 'ana', situation = ''] = /^# as (\w+)(.*)$/m.exec(text) ?? []
    if (situation === ', without the database') await server.stop()
    if (situation === ', after a restore') await restoreBackup(world)
    const started = waiting
    waiting = undefined
    let output = ''
    let variables = ''
    for (const { line, exit } of commandsOf(text)) {
      if (line.startsWith('export ')) variables += `${line}; `
      else output += `${await runLine(role, variables + line, exit)}\n`
    }
    if (situation === ', without the database') await server.start()
    if (started !== undefined) {
      const { exitCode, all } = await started
      expect(exitCode, all).toBe(0)
    }
    return output
  }
  return { runBlock, count: () => commands }
}

/** Returns how many commands it ran. */
export const runTeamsPage = async (desk: Home, port: number): Promise<number> => {
  const world = await openWorld(desk, port)
  await orderAlone(world)
  const { runBlock, count } = createRunner(world)
  await followBlocks(blocks, {
    home: world.openMachine('ana').home,
    runShell: runBlock,
    kinds: { sql: world.admin.type },
    generalize: withoutIds,
  })
  return count()
}
