// Customers with one account and one shared journal, each with a database role and a machine of their own.
import type { Situation } from '../in-process.ts'
import { openWorld, overSocket, type Way } from '../world.ts'
import { rolePassword } from './database.ts'
import { openTeam } from './team.ts'

/** `ana` owns the tables. Orders are final at once. */
export const openTeamShop = async (...roles: readonly string[]) =>
  openTeamShopBy({ ...overSocket, processingMs: 0 }, ...roles)

export const openTeamShopBy = async (way: Way, ...roles: readonly string[]) => {
  const team = await openTeam(...roles)
  const shop = await openWorld({ realTime: true, ...way })
  const as = async (role: string, words: readonly string[], { env = {}, ...situation }: Situation = {}) => {
    const own = { ORDERCTL_STATE_DIR: `${shop.home}/${role}`, ORDERCTL_JOURNAL: team.address(role) }
    const ran = await shop.runIn(words, { env: { ...own, PGPASSWORD: rolePassword, ...env }, ...situation })
    /** Without the names that differ between runs. */
    const stderr = ran.stderr.replaceAll(`${team.name}_`, '').replaceAll(/bat_[0-9a-z]{32}/g, 'bat_ID')
    return { ...ran, stderr, said: stderr.replace(/^Using .*\n(?:\nColumns\n(?:.+\n)+\n)?/, '') }
  }
  const json = async (role: string, words: readonly string[], situation?: Situation) => {
    const { exit, stdout, stderr } = await as(role, [...words, '--json'], situation)
    const last = stderr.trim().split('\n').at(-1) ?? ''
    return {
      exit,
      data: stdout === '' ? undefined : JSON.parse(stdout.replaceAll(`${team.name}_`, '')),
      error: last.startsWith('{') ? JSON.parse(last).error : undefined,
    }
  }
  /** As a script does: of the plan that the batch has now. */
  const approve = async (role: string, name: string, maxTotal: string, ...flags: string[]) => {
    const { data } = await json(role, ['batch', 'show', name])
    return as(role, ['batch', 'approve', name, '--plan', data.id, '--max-total', maxTotal, ...flags])
  }
  const must = async (role: string, ...words: string[]): Promise<string> => {
    const { exit, stdout, stderr } = await as(role, words)
    if (exit !== 0) throw new Error(`${words.join(' ')}: exit ${exit}\n${stderr}`)
    return stdout
  }
  return { ...shop, ...team, as, json, must, approve }
}
