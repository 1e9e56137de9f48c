// The PostgreSQL server that all test files of a run share. The first test that needs it starts it.
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { isMainThread } from 'node:worker_threads'
import { type AdminAddress, isAlive, startGuard, startServer } from './server.ts'

/** All workers of vitest are its children, or its threads. */
const runner = isMainThread && process.env.VITEST !== undefined ? process.ppid : process.pid

const folder = path.join(tmpdir(), `orderctl-postgres-run-${runner}`)
const addressFile = path.join(folder, 'address')
const errorFile = path.join(folder, 'error')

const start = async (): Promise<void> => {
  try {
    startGuard(runner, folder)
    const { admin, pid } = await startServer({ owner: runner })
    const address: AdminAddress = { ...admin, isOurs: true }
    writeFileSync(`${addressFile}.new`, JSON.stringify({ address, pid: pid() }))
    renameSync(`${addressFile}.new`, addressFile)
  } catch (error) {
    writeFileSync(errorFile, String((error as Error).stack))
  }
}

const readAddress = async (): Promise<AdminAddress> => {
  const chosen = process.env.ORDERCTL_TEST_POSTGRES
  if (chosen !== undefined) {
    const { hostname, port, username, password, pathname } = new URL(chosen)
    const [user, secret, database] = [username, password, pathname.slice(1)].map(decodeURIComponent)
    return { host: hostname, port: Number(port || 5432), user, password: secret, database } as AdminAddress
  }
  if (createFolder()) await start()
  while (!existsSync(addressFile)) {
    if (existsSync(errorFile)) throw new Error(readFileSync(errorFile, 'utf8'))
    await delay(10)
  }
  const found: { address: AdminAddress; pid: number } = JSON.parse(readFileSync(addressFile, 'utf8'))
  if (isAlive(found.pid)) return found.address
  // Before the machine restarted, another run had the same process id.
  rmSync(folder, { recursive: true, force: true })
  return await readAddress()
}

/** Returns false if another worker has created it. */
const createFolder = (): boolean => {
  try {
    mkdirSync(folder)
    return true
  } catch {
    return false
  }
}

let address: Promise<AdminAddress> | undefined

/** The address of ORDERCTL_TEST_POSTGRES, or of a server that ends with the test run. */
export const findSharedServer = (): Promise<AdminAddress> => {
  address ??= readAddress()
  return address
}
