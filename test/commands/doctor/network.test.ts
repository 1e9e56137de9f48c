// doctor over the network: services, keys, clocks and settings. Each check ends in its time.
import { describe, expect, test } from 'vitest'
import type { Clock } from '../../../src/contract/clock.ts'
import { listen } from '../../../src/server/http-server.ts'
import { builtInCatalogue } from '../../../src/service/catalogue.ts'
import { openEmbedded } from '../../../src/service/embedded.ts'
import { hastyClock, realClock, untilAborted } from '../../support/in-process.ts'
import { selfSigned } from '../../support/network/client-certificate.ts'
import { closedPort, openCounter, openHttp, openHttps } from '../../support/network/client-servers.ts'
import { openDesk, saveProfiles, secretKey } from './desk.ts'

const serve = async (apiKey = secretKey) => {
  const embedded = openEmbedded({
    clock: realClock,
    catalogue: builtInCatalogue(),
    stateFile: ':memory:',
    apiKey,
  })
  const listener = await listen(embedded.transport, { host: '127.0.0.1', port: 0, clock: realClock })
  return {
    origin: listener.origin,
    [Symbol.asyncDispose]: async () => {
      await listener.close()
      embedded.close()
    },
  }
}

/** Waits between attempts end at once, and the limits of 5 s never come. */
const impatientClock = (): Clock => {
  const clock = hastyClock()
  const isLimit = (ms: number): boolean => ms > 4_000 && ms <= 5_000
  return { ...clock, sleep: (ms, signal) => (isLimit(ms) ? untilAborted(signal) : clock.sleep(ms, signal)) }
}

const examine = async (
  profile: Readonly<Record<string, unknown>> & { readonly baseUrl: string },
  situation = {},
  ...flags: string[]
) => {
  const desk = openDesk()
  saveProfiles(desk, { name: 'shop', ...profile })
  const examined = await desk.examine(situation, ...flags)
  expect(examined.stdout + examined.stderr).not.toContain(secretKey)
  expect(examined.questions).toEqual([])
  return { ...examined, desk }
}

describe('a service', () => {
  test('that accepts the key', async () => {
    await using service = await serve()
    const { exit, find } = await examine({ baseUrl: service.origin })
    expect(exit).toBe(0)
    expect(find('shop')).toMatchObject({ status: 'ok', detail: `${service.origin} responds` })
    expect(find('shop key')).toMatchObject({
      status: 'ok',
      detail: expect.stringMatching(/^not refused \(404 /),
    })
    expect(find('shop clock')).toMatchObject({ status: 'ok', detail: "within 30 s of the service's" })
    expect(find('shop certificate')).toBeUndefined()
    expect(find('In use')?.detail).toBe('shop')
  })

  test('that rejects the key is a problem of the key', async () => {
    await using service = await serve('another-key')
    const { exit, find } = await examine({ baseUrl: service.origin })
    expect(exit).toBe(9)
    expect(find('shop')?.status).toBe('ok')
    expect(find('shop key')).toMatchObject({
      status: 'problem',
      fix: 'orderctl profile set shop --key-stdin',
    })
  })

  test('whose clock differs is a warning', async () => {
    await using service = await serve()
    const clock = { ...realClock, now: () => Date.now() + 120_500 }
    const { exit, find } = await examine({ baseUrl: service.origin }, { clock })
    expect(exit).toBe(0)
    expect(find('shop clock')).toMatchObject({
      status: 'warning',
      detail: "this machine's clock is 2 min ahead of the service's",
    })
  })

  test('that cannot be reached is a problem, and the others are still checked', async () => {
    await using service = await serve()
    const desk = openDesk()
    const port = await closedPort()
    saveProfiles(
      desk,
      { name: 'gone', baseUrl: `http://127.0.0.1:${port}` },
      { name: 'shop', baseUrl: service.origin },
    )
    const { exit, find } = await desk.examine({ clock: impatientClock() })
    expect(exit).toBe(9)
    expect(find('gone')).toMatchObject({
      status: 'problem',
      detail: expect.stringMatching(`^http://127.0.0.1:${port}: .*: connection refused$`),
    })
    expect(find('gone key')).toBeUndefined()
    expect(find('shop key')?.status).toBe('ok')
  })

  test('that never responds: the call ends in its time', async () => {
    await using silent = await openCounter('127.0.0.1')
    const clock = {
      ...realClock,
      sleep: async (ms: number, signal?: AbortSignal) => {
        // The limit of the call comes at once, and that of the whole check never.
        if (ms === 5_000) await untilAborted(signal)
      },
    }
    const { exit, find } = await examine({ baseUrl: silent.origin }, { clock })
    expect(exit).toBe(9)
    expect(find('shop')).toMatchObject({
      status: 'problem',
      detail: expect.stringContaining(': timed out after 4.4 s'),
    })
  })

  test('that never responds, also if the call does not end', async () => {
    await using silent = await openCounter('127.0.0.1')
    const clock = {
      ...realClock,
      sleep: async (ms: number, signal?: AbortSignal) => {
        if (ms !== 5_000) await untilAborted(signal)
      },
    }
    const { exit, find } = await examine({ baseUrl: silent.origin }, { clock })
    expect({ exit, detail: find('shop')?.detail }).toEqual({ exit: 9, detail: 'no response within 5 s' })
  })

  test('that is another web server is not called reachable', async () => {
    await using page = await openHttp((_, response) => void response.writeHead(502).end('<html>'))
    const { exit, find } = await examine({ baseUrl: page.origin }, { clock: impatientClock() })
    expect({ exit, status: find('shop')?.status }).toEqual({ exit: 9, status: 'problem' })
  })

  test('of the environment is checked without a profile', async () => {
    await using service = await serve()
    const env = {
      ORDERCTL_BASE_URL: service.origin,
      ORDERCTL_API_KEY: secretKey,
      HOME: '',
      ORDERCTL_STATE_DIR: '/tmp',
    }
    const { find, stdout } = await openDesk().examine({ env })
    expect(find('environment key')?.status).toBe('ok')
    expect(find('Profiles')?.detail).toBe('no home folder: only the environment is used')
    expect(stdout).not.toContain(secretKey)
  })

  test('with a wrong address in the environment is a problem', async () => {
    const { exit, find } = await openDesk().examine({ env: { ORDERCTL_BASE_URL: 'ftp://me:pw1234@x' } })
    expect(exit).toBe(9)
    expect(find('environment')?.detail).toContain('ORDERCTL_BASE_URL')
    expect(find('environment')?.detail).not.toContain('pw1234')
  })
})

describe('a credential command', () => {
  test('is run, and what it prints on stderr is not shown', async () => {
    await using service = await serve()
    const credential = { kind: 'command', command: `echo ${secretKey} >&2; echo ${secretKey}` }
    const { exit, find } = await examine({ baseUrl: service.origin, credential })
    expect(exit).toBe(0)
    expect(find('shop key')?.status).toBe('ok')
  })

  test.each([
    ['fails', 'exit 3', 'the credential command ended with exit code 3'],
    [
      'reads a response',
      'read -r key || exit 4; echo "$key"',
      'the credential command ended with exit code 4',
    ],
  ])('that %s is a problem, and the service is still checked', async (_, command, detail) => {
    await using service = await serve()
    const { exit, find } = await examine({
      baseUrl: service.origin,
      credential: { kind: 'command', command },
    })
    expect(exit).toBe(9)
    expect(find('shop')?.status).toBe('ok')
    expect(find('shop key')).toMatchObject({ status: 'problem', detail })
  })

  test('that never ends is killed in its time', async () => {
    await using service = await serve()
    const credential = { kind: 'command', command: 'exec sleep 600' }
    const before = Date.now()
    const { exit, find } = await examine({ baseUrl: service.origin, credential }, {}, '--timeout', '3s')
    expect({ exit, detail: find('shop key')?.detail }).toEqual({
      exit: 9,
      detail: 'the credential command printed no key within 1.5 seconds',
    })
    expect(Date.now() - before).toBeLessThan(30_000)
  })
})

test('a profile without a key says how to add one', async () => {
  await using service = await serve()
  const { exit, find } = await examine({ baseUrl: service.origin, credential: undefined })
  expect(exit).toBe(9)
  expect(find('shop')?.status).toBe('ok')
  expect(find('shop key')?.fix).toContain('orderctl profile set shop')
})

describe('the settings', () => {
  const settings = async (env: Readonly<Record<string, string>>) => {
    const { report, stdout } = await openDesk().examine({ env })
    expect(stdout).not.toMatch(/pw1234|secret/)
    return report.checks
      .filter(({ group }) => group === 'Settings')
      .map(({ name, status, detail }) => [name, status, detail])
  }

  test('of the environment are listed without keys and passwords', async () => {
    const env = {
      ...{
        TMPDIR: undefined as never,
        ORDERCTL_API_KEY: 'secret',
        ORDERCTL_TIMEOUT: '20s',
        PGPASSWORD: 'secret',
      },
      ORDERCTL_JOURNAL: 'postgres://ana:pw1234@127.0.0.1:1/orders?password=secret',
      https_proxy: 'http://me:pw1234@127.0.0.1:9',
    }
    expect(await settings(env)).toEqual([
      ['ORDERCTL_API_KEY', 'ok', 'set, not shown'],
      ['ORDERCTL_JOURNAL', 'ok', 'postgres://127.0.0.1:1/orders'],
      ['ORDERCTL_TIMEOUT', 'ok', '20s'],
      ['PGPASSWORD', 'ok', 'set, not shown'],
      ['https_proxy', 'ok', 'http://127.0.0.1:9'],
    ])
  })

  test.each(['ALL_PROXY', 'NODE_TLS_REJECT_UNAUTHORIZED'])('that orderctl ignores: %s', async (name) => {
    expect(await settings({ [name]: '0' })).toEqual([[name, 'warning', 'is set, but orderctl ignores it']])
  })

  test('with a wrong proxy are a problem that shows no password', async () => {
    const env = { HTTPS_PROXY: 'socks5://me:pw1234@x:1' }
    const { find, stdout } = await examine(
      { baseUrl: 'https://other.invalid' },
      { env, clock: impatientClock() },
    )
    expect(find('shop')?.detail).toContain('HTTPS_PROXY is not a valid proxy address')
    expect(stdout).not.toContain('pw1234')
  })
})

test('a certificate of a private authority is a problem that names the variable for it', async () => {
  const pair = selfSigned('localhost', { to: new Date(Date.now() + 86_400_000) })
  await using server = await openHttps(pair, (_request, response) => void response.end(), '127.0.0.1')
  const baseUrl = `https://localhost:${server.port}`
  const { exit, find } = await examine({ baseUrl }, { clock: impatientClock() })
  expect(exit).toBe(9)
  expect(find('shop')).toMatchObject({
    ...{ status: 'problem', detail: expect.stringMatching(/: certificate is self-signed$/) },
    advice: expect.stringContaining('set NODE_EXTRA_CA_CERTS to the certificate of that authority'),
  })
})
