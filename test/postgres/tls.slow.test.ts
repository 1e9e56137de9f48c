// Encrypted connections to a server whose certificate a private authority has signed.
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { selfSigned } from '../support/network/client-certificate.ts'
import { superuser } from '../support/postgres/installation.ts'
import { type ServerOptions, startServer } from '../support/postgres/server.ts'
import { openTcpProxy } from '../support/postgres/tcp-proxy.ts'
import { rowsOf } from '../support/rows.ts'
import { openScratch } from '../support/scratch.ts'
import { failureOf, openAddress } from './open-client.ts'

const pair = selfSigned('localhost')
const scratch = openScratch()
const rootFile = path.join(scratch.folder, 'root.pem')
const otherFile = path.join(scratch.folder, 'other.pem')

const withTls = ({ key, cert }: { key: string; cert: string }): ServerOptions => ({
  settings: ['ssl = on', "ssl_cert_file = 'server.crt'", "ssl_key_file = 'server.key'"],
  access: ['hostssl all all 127.0.0.1/32 scram-sha-256', 'local all all scram-sha-256'],
  files: { 'server.crt': cert, 'server.key': key },
})

writeFileSync(rootFile, pair.cert)
writeFileSync(otherFile, selfSigned('localhost').cert)
const server = await startServer(withTls(pair))
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  scratch[Symbol.dispose]()
})

const environment = { PGPASSWORD: superuser.password }
const addressOf = (host: string, port: number, options: string): string =>
  `postgres://${superuser.name}@${host}:${port}/postgres?${options}`

const connect = async (
  host: string,
  options: string,
  { port }: { port: number } = server,
): Promise<unknown> => {
  const client = openAddress(addressOf(host, port, options), { environment })
  const [row] = await client.all('SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()')
  return row?.ssl === 1n ? 'encrypted' : 'plain'
}

describe('accepts', () => {
  test.each(
    rowsOf(`
      localhost | sslmode=verify-full&sslrootcert=${rootFile}
      127.0.0.1 | sslmode=require
      127.0.0.1 | sslmode=require&sslrootcert=${rootFile}
    `),
  )('%s with %s', async (host = '', options = '') => {
    expect(await connect(host, options)).toBe('encrypted')
  })

  test('a Unix socket, without TLS', async () => {
    expect(await connect(encodeURIComponent(server.socketFolder), '')).toBe('plain')
  })
})

const untrusted = "the server's certificate is not trusted: self-signed certificate"

describe('refuses', () => {
  test.each(
    rowsOf(`
      an unknown authority | localhost | sslmode=verify-full | UNTRUSTED
      a different authority | localhost | sslmode=verify-full&sslrootcert=${otherFile} | UNTRUSTED
      require with a different authority | localhost | sslmode=require&sslrootcert=${otherFile} | UNTRUSTED
      another name | 127.0.0.1 | sslmode=verify-full&sslrootcert=${rootFile} \
        | does not match certificate's altnames
      a plain connection to a server that wants TLS | 127.0.0.1 | | the server wants TLS
    `),
  )('%s', async (_, host = '', options = '', expected = '') => {
    const text = await failureOf(connect(host, options))
    expect(text).toMatch(/^local-state: cannot connect to postgres:/)
    expect(text).toContain(expected.replace('UNTRUSTED', untrusted))
  })

  test.skipIf(process.platform === 'win32')('a pipe as root certificate, without reading it', async () => {
    const pipe = path.join(scratch.folder, 'pipe')
    spawnSync('mkfifo', [pipe])
    const connecting = async () => connect('localhost', `sslmode=verify-full&sslrootcert=${pipe}`)
    expect(await failureOf(connecting())).toContain(
      `cannot read the root certificate ${pipe}: it is not a file`,
    )
  })

  test('a certificate that has expired', async () => {
    const old = selfSigned('localhost', { from: new Date('2020-01-01'), to: new Date('2020-02-01') })
    await using expired = await startServer(withTls(old))
    writeFileSync(path.join(scratch.folder, 'old.pem'), old.cert)
    const options = `sslmode=verify-full&sslrootcert=${scratch.folder}/old.pem`
    expect(await failureOf(connect('localhost', options, expired))).toContain(
      "the server's certificate is not trusted: certificate has expired",
    )
  })

  test('a self-signed certificate, even with NODE_TLS_REJECT_UNAUTHORIZED=0', async () => {
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0')
    // Node warns, but the check stays.
    vi.spyOn(process, 'emitWarning').mockReturnValue()
    onTestFinished(() => {
      vi.unstubAllEnvs()
      vi.restoreAllMocks()
    })
    const options = `sslmode=verify-full&sslrootcert=${otherFile}`
    expect(await failureOf(connect('localhost', options))).toContain(untrusted)
  })

  test('a server that asks for the password in clear text, if the connection is not encrypted', async () => {
    const access = ['host all all 127.0.0.1/32 password', 'local all all password']
    await using careless = await startServer({ access })
    await using proxy = await openTcpProxy({ host: '127.0.0.1', port: careless.port })
    expect(await failureOf(connect('127.0.0.1', 'sslmode=disable', proxy))).toContain(
      'asks for the password in clear text, and the connection is not encrypted; the password was not sent',
    )
    // Only as the user and the database, which have the same name.
    expect(proxy.sent().split(superuser.password)).toHaveLength(3)
    expect(await connect(encodeURIComponent(careless.socketFolder), '', careless)).toBe('plain')
  })

  test('a server without TLS', async () => {
    await using plain = await startServer()
    expect(await failureOf(connect('127.0.0.1', 'sslmode=require', plain))).toMatch(
      /: the server does not offer TLS\nTurn on ssl on the server\./,
    )
  })
})
