// One service, and a template of a home with a created order, a delivered order and a profile with a key. Each command
// gets its own copy, beside a folder of another owner.
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { getAccountId } from '../../src/contract/account-id.ts'
import { mustRun } from '../support/orderctl.ts'
import { runWithoutTriggers } from '../support/without-triggers.ts'
import { inRealTime, openWorld as openShop } from '../support/world.ts'

/** Must not appear in any output, or in a file that others can read. */
export const key = 'sk_the-key-of-the-shop'

/** The folders of orderctl in a home. */
export const profilesIn = (home: string): string => path.join(home, '.config', 'orderctl')
export const stateIn = (home: string): string => path.join(home, '.local', 'state', 'orderctl')
export const journalIn = (home: string): string => path.join(stateIn(home), 'journal.db')

export const commonEnvironment = { TZ: 'UTC', XDG_CACHE_HOME: path.resolve('node_modules/.cache') }

/** The copy for one command. */
export type Place = {
  readonly home: string
  /** A folder of another owner, which must stay unchanged. */
  readonly others: string
  readonly origin: string
  /** The requests from this home, a letter each. */
  readonly wire: () => string
  readonly close: () => Promise<void>
}

export type World = Awaited<ReturnType<typeof openWorld>>

/** Moves the orders to the account of another port. */
const moveAccount = (file: string, from: string, to: string): void => {
  const journal = new DatabaseSync(file)
  const addressOf = (origin: string): string => getAccountId(origin).address
  journal.prepare('UPDATE accounts SET address = ? WHERE address = ?').run(addressOf(to), addressOf(from))
  runWithoutTriggers(journal, `UPDATE orders SET origin = '${to}' WHERE origin = '${from}'`)
  journal.close()
}

const order = ['create', '--product', 'GAME-US:25', '--wallet', 'USD']

export const openWorld = async () => {
  const stack = new AsyncDisposableStack()
  const shop = await openShop({ ...inRealTime, key, processingMs: 1 }, (end) => stack.defer(end))
  const first = await shop.openPort()
  const template = path.join(shop.home, 'template')
  mkdirSync(template, { mode: 0o700 })
  const env = { ...commonEnvironment, HOME: template }
  const runOk = (...words: string[]): Promise<string> =>
    mustRun(words, { cwd: template, env, input: `${key}\n`, endsWithinMs: 60_000 })
  await runOk(...order, '--reference', 'tried')
  await runOk('profile', 'add', 'shop', '--base-url', first.origin, '--key-stdin')
  await runOk('profile', 'use', 'shop')
  await runOk(...order, '--reference', 'waiting')
  const ended = await runOk(...order, '--reference', 'ended', '--confirm', '--watch', '-q')
  await first.close()
  let places = 0

  return {
    calls: shop.calls,
    /** The id of a delivered order. */
    ended,
    /** Creates a home and a folder of another owner beside it. */
    place: async (): Promise<Place> => {
      places += 1
      const folder = path.join(shop.home, String(places))
      const [home, others] = [path.join(folder, 'home'), path.join(folder, 'others')]
      mkdirSync(others, { recursive: true })
      cpSync(template, home, { recursive: true })
      writeFileSync(path.join(others, 'diary.txt'), 'Nobody but me reads this.\n')
      const own = await shop.openPort()
      const profiles = path.join(profilesIn(home), 'profiles.json')
      writeFileSync(profiles, readFileSync(profiles, 'utf8').replaceAll(first.origin, own.origin))
      moveAccount(journalIn(home), first.origin, own.origin)
      const close = async (): Promise<void> => {
        await own.close()
        rmSync(folder, { recursive: true, force: true })
      }
      return { home, others, ...own, close }
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}
