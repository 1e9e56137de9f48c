// Loaded into orderctl by --import, before its own code. Gives the process a different host, user and clock, so that
// two folders of one machine are two machines.
import { syncBuiltinESMExports } from 'node:module'
import os from 'node:os'

const { MACHINE_HOST: host, MACHINE_USER: user, MACHINE_AHEAD_MS: ahead = '0' } = process.env

if (host !== undefined) os.hostname = () => host
if (user !== undefined) {
  const readUser = os.userInfo
  os.userInfo = ((options?: never) => ({ ...readUser(options), username: user })) as typeof os.userInfo
}
syncBuiltinESMExports()

const readTime = Date.now
Date.now = () => readTime() + Number(ahead)
