// Runs every command with every flag, as it is built: without a terminal, on a terminal, and until a signal.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { collectFailures } from '../support/cases.ts'
import { executable, folder, isOnWindows, orderctl } from '../support/orderctl.ts'
import { createDatabase } from '../support/postgres/database.ts'
import { noTerminal } from '../support/pseudo-terminal.ts'
import { prompting, rows } from './every-flag.ts'
import { copyBuild, droppedModule, lateExport, type Plant, remove } from './planted.ts'
import { openPreparedHome, type PreparedHome } from './prepared-home.ts'
import { findBreaches, findDefects, runOnTerminal, runRow } from './run-row.ts'

const noConsole = isOnWindows || noTerminal()

let homes: PreparedHome
beforeAll(async () => {
  homes = await openPreparedHome()
})
afterAll(() => homes[Symbol.asyncDispose]())

describe('every command with every flag', { timeout: 1_200_000 }, () => {
  test('without a terminal ends with its exit code, and with --json both streams parse', async () => {
    expect(rows.length).toBeGreaterThan(400)
    const failures = await collectFailures(rows, async (row) => findBreaches(row, await runRow(homes, row)))
    expect(failures).toEqual([])
  })

  test('of a team ends with a documented exit code in a shared journal', async () => {
    await using database = await createDatabase()
    // This machine knows no other journal of the account.
    const state = { ORDERCTL_STATE_DIR: folder() }
    const env = { ORDERCTL_JOURNAL: database.address(), PGPASSWORD: database.password, ...state }
    const { env: own, ...options } = homes.inHome(homes.copy())
    const plan = 'batch plan rows.csv --wallet USD --name planned --profile mock'
    const planned = await orderctl(plan.split(' '), { ...options, env: { ...own, ...env } })
    expect(planned).toMatchObject({ exit: 0 })
    const failures = await collectFailures(
      rows.filter(({ isOfTeams }) => isOfTeams),
      async (row) => {
        const { exit, stdout, stderr } = await runRow(homes, row, { env })
        return findDefects(exit, stdout + stderr)
      },
    )
    expect(failures).toEqual([])
  })

  test.skipIf(noConsole)('on a terminal, if it can prompt, ends with a documented exit code', async () => {
    const failures = await collectFailures(
      prompting,
      async (row) => {
        const { exit, text } = await runOnTerminal(homes, row)
        return findDefects(exit, text)
      },
      3,
    )
    expect(failures).toEqual([])
  })

  test.skipIf(executable.length === 1).each<[string, Plant, string, string]>([
    ['an export before its value exists', lateExport, 'redeem ref:bought --reveal --qr', 'exit 1:'],
    ['a missing chunk', remove('explain-run'), 'explain ref:bought', 'exit 72 instead of 0:'],
    ['a module that never runs', droppedModule, 'list', 'exit 1:'],
  ])('finds %s', async (_what, plant, name, breach) => {
    const row = rows.find((each) => each.name === name)
    if (row === undefined) throw new Error(`the table has no row ${name}`)
    const { program } = copyBuild(plant)
    const breaches = findBreaches(row, await runRow(homes, row, { program }))
    expect(breaches).toContainEqual(expect.stringContaining(breach))
  })
})
