// The database that the roles of a session share, behind a proxy that can cut its connections.
import { onTestFinished } from 'vitest'
import { openTcpProxy } from '../postgres/tcp-proxy.ts'
import { openEmptyTeam, openTeam } from '../postgres/team.ts'

export const openSharedDatabase = async (hasTables: boolean, roles: readonly string[]) => {
  const team = await (hasTables ? openTeam : openEmptyTeam)(...roles)
  const proxy = await openTcpProxy(team)
  onTestFinished(() => proxy[Symbol.asyncDispose]())
  const leave = (): void => {
    proxy.refuse(true)
    proxy.cut()
  }
  /** `lost at 2. COMMIT`: the server does not receive it. `lost after 2. COMMIT`: the server carries it out. */
  const cutAt = async (rest: string): Promise<void> => {
    const [, how, when, nth, statement = ''] = /^(lost|cut) (at|after) (?:(\d+)\. )?(.+)$/.exec(rest) ?? []
    if (how === undefined) throw new Error(`'${rest}' is not one such as: away, back, silent, lost at COMMIT`)
    // The name of the statement ends with a zero byte.
    const at = statement === 'COMMIT' ? 'COMMIT\0' : statement
    await proxy.cutAt(at, { nth: Number(nth ?? 1), forwards: when === 'after' })
    if (how === 'lost') leave()
  }
  return {
    team: { ...team, port: proxy.port, address: (role: string) => team.address(role, proxy) },
    setConnection: (rest: string): void => {
      if (rest === 'away') leave()
      else if (rest === 'silent') proxy.hold(true)
      else if (rest === 'back') {
        proxy.refuse(false)
        proxy.hold(false)
      } else void cutAt(rest)
    },
  }
}
