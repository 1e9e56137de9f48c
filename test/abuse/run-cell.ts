// Runs a cell of the table with the built executable, and checks the rules that hold in every cell.
import { hash } from 'node:crypto'
import { existsSync, lstatSync, readdirSync, readFileSync, realpathSync } from 'node:fs'
import path from 'node:path'
import { exitCodes } from '../../src/errors.ts'
import { orderctl, type Ran } from '../support/orderctl.ts'
import { readDatabase } from '../support/scratch.ts'
import { commands } from './commands.ts'
import type { Cell } from './local.ts'
import { situations } from './situations.ts'
import { commonEnvironment, journalIn, key, type Place, type World } from './world.ts'

/** Whether the journal exists and has an order with this reference. */
export const isInJournal = (home: string, reference: string): boolean => {
  const file = journalIn(home)
  return (
    existsSync(file) &&
    readDatabase(
      realpathSync(file),
      (database) =>
        database.prepare('SELECT 1 FROM orders WHERE reference = ? LIMIT 1').get(reference) !== undefined,
    )
  )
}

/** Maps each file to its mode, owner and a hash of its content. */
const describeFiles = (folder: string): Map<string, string> =>
  new Map(
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => {
      const file = path.join(folder, name)
      const stats = lstatSync(file)
      const content = stats.isFile() ? hash('sha1', readFileSync(file)) : ''
      return [name, `${stats.mode} ${stats.uid} ${content}`]
    }),
  )

/** New files that other users can read. */
const findExposedFiles = (home: string, before: Map<string, string>): string[] =>
  [...describeFiles(home).keys()].filter((name) => {
    const stats = lstatSync(path.join(home, name))
    return !before.has(name) && !stats.isSymbolicLink() && (stats.mode & 0o077) !== 0
  })

type JsonError = { readonly code?: string; readonly message?: string }

const readJsonError = (stderr: string): JsonError => {
  try {
    return JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '').error
  } catch {
    return {}
  }
}

/** Checks the rules that hold in every cell. */
const findBreaches = (
  { command }: Cell,
  { exit, stdout, stderr }: Ran,
  { isJson, isHeard }: { readonly isJson: boolean; readonly isHeard: boolean },
): string[] => {
  const all = stdout + stderr
  const named = Object.entries(exitCodes).find(([, { code }]) => code === exit)?.[0]
  const failed = exit !== 0
  const lines = stderr.trimEnd().split('\n')
  const errors = lines.filter((line) => line.startsWith('error: ')).length
  const hasNext = !lines.at(-1)?.startsWith('error: ')
  const rules: readonly (readonly [string, boolean])[] = [
    ['the exit code stands in the table', named !== undefined],
    ['there is no stack trace', !/^\s+at |a defect|undefined|\[object|node:/m.test(all)],
    ['the key is in no output', !all.includes(key)],
    ['an error is said once, with what to do', !failed || isJson || !isHeard || (errors === 1 && hasNext)],
    ['JSON names the exit code', !failed || !isJson || !isHeard || readJsonError(stderr).code === named],
    ['JSON is one object on a line', !failed || !isJson || !isHeard || stderr.endsWith('}\n')],
    ['the TAB key gets a reply without a word', command !== 'tab' || stderr === '' || failed],
  ]
  return rules.filter(([, holds]) => !holds).map(([rule]) => `${rule}: ${all}`)
}

const textOf = (text: string, { home, others }: Place): string =>
  text
    .replaceAll(home, '~')
    .replaceAll(others, 'others')
    .replace(/~\/(\.config|\.local\/state)\/orderctl\//g, '')

/** Runs the cell. Returns the expected and the actual result. */
export const runCell = async (world: World, cell: Cell, isJson: boolean, reference: string) => {
  const { situation, command, account } = cell
  const place = await world.place()
  const { home, others } = place
  const words = await commands[command](world, reference)
  const around = situations[situation]?.(place) ?? {}
  try {
    const [before, beforeOthers] = [describeFiles(home), describeFiles(others)]
    const named = { ORDERCTL_BASE_URL: place.origin, ORDERCTL_API_KEY: key }
    const ran = await orderctl([...words, ...(isJson && command !== 'tab' ? ['--json'] : [])], {
      cwd: home,
      env: { ...commonEnvironment, HOME: home, ...(account === 'environment' ? named : {}), ...around.env },
      input: `${key}\n`,
      endsWithinMs: 120_000,
      ...(around.under === undefined ? {} : { under: around.under }),
    })
    const wire = place.wire()
    const stderr = textOf(ran.stderr, place)
    const [inResult = ''] = isJson ? (/"warnings": \[[^\]]*\]/.exec(ran.stdout) ?? []) : []
    const heard = `${stderr}${inResult}`
      .replace(/^warning: /gm, '')
      .replace(/^\{"error".*$/m, () => readJsonError(stderr).message ?? '')
    // A note, which --json does not print.
    const says = isJson && cell.says === 'No matching orders' ? '' : cell.says
    const isSilent = !/^(error|warning): |^\{"(error|warnings)"|^nothing was ordered/m.test(stderr)
    const isSaid = says === '' ? isSilent && inResult === '' : heard.includes(says)
    const isHeard = !/stderr is|all three|both/.test(situation)
    const isBought = /[cp]/.test(wire)
    // Before the journal is read, which creates files of SQLite.
    const shown = findExposedFiles(home, before)
    const isKept = !isBought || isInJournal(around.env?.HOME ?? home, reference)
    return {
      wanted: { exit: cell.exit, wire: cell.wire, says, breaches: [] },
      found: {
        exit: ran.exit,
        wire,
        says: isSaid ? says : stderr,
        breaches: [
          ...findBreaches(cell, ran, { isJson: isJson && command !== 'tab', isHeard }),
          ...(isKept ? [] : ['what was sent is not in the journal']),
          ...shown.map((name) => `${name} can be read by others`),
          ...[...describeFiles(others)]
            .filter(([name, picture]) => beforeOthers.get(name) !== picture)
            .map(([name]) => `${name} of others was changed`),
        ],
      },
    }
  } finally {
    around.end?.()
    await place.close()
  }
}
