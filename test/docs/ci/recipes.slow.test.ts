// The CI recipes of docs/ci/: the CI systems accept them, and their scripts do what the recipes say.

import { writeFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import { describe, expect, onTestFinished, test } from 'vitest'
import { exchange } from '../../support/network/raw-socket.ts'
import { folder, serveMock } from '../../support/orderctl.ts'
import { createDatabase } from '../../support/postgres/database.ts'
import { findFreePort } from '../../support/postgres/server.ts'
import { waitUntil } from '../../support/wait-until.ts'
import { fillIn, openRunner, packageName, readGithubJob, readGitlabJob, readRecipe } from './recipes.ts'

// The package imports JSON files without saying that they are JSON.
registerHooks({
  resolve: (specifier, context, next) => {
    const found = next(specifier, context)
    return found.url.endsWith('.json') ? { ...found, importAttributes: { type: 'json' } } : found
  },
})

const findGithubErrors = async (content: string): Promise<string[]> => {
  const { NoOperationTraceWriter, parseWorkflow } = await import('@actions/workflow-parser')
  const { context } = parseWorkflow({ name: 'job.yml', content }, new NoOperationTraceWriter())
  return context.errors.getErrors().map(String)
}

const gitlabProgram = fileURLToPath(import.meta.resolve('gitlab-ci-local'))

/** It has the JSON schema of GitLab. */
const checkForGitlab = async (content: string) => {
  const cwd = folder()
  writeFileSync(path.join(cwd, '.gitlab-ci.yml'), content)
  const git = { GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a@example.com' }
  const committer = { GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a@example.com' }
  const options = { cwd, env: { HOME: cwd, ...git, ...committer }, reject: false, all: true }
  await execa('git', ['init', '--quiet'], options)
  await execa('git', ['commit', '--quiet', '--allow-empty', '--message', 'first'], options)
  const { exitCode, all } = await execa(process.execPath, [gitlabProgram, '--list'], options)
  return { exitCode, all }
}

test.each(['github-test.yml', 'github-order.yml'])('%s is a workflow', async (name) => {
  expect(await findGithubErrors(readRecipe(name))).toEqual([])
  expect(await findGithubErrors(readRecipe(name).replaceAll('run:', 'rum:'))).not.toEqual([])
})

test.each(['gitlab-test.yml', 'gitlab-order.yml'])('%s is a pipeline', async (name) => {
  expect(await checkForGitlab(readRecipe(name))).toMatchObject({ exitCode: 0 })
  const wrong = await checkForGitlab(readRecipe(name).replaceAll('timeout: 1', 'timeouts: 1'))
  expect(wrong.exitCode, wrong.all).not.toBe(0)
})

const order = JSON.stringify({
  productList: [{ sku: 'GAME-US', quote: 25, quantity: 1, productType: 'fixed' }],
  wallet: 'USD',
  reference: 'from-the-file',
})

describe('the job that buys', () => {
  /** The values of the CI system, and the scripts in their order. */
  const systems = [
    {
      system: 'GitHub',
      read: (values: Readonly<Record<string, string>>) => {
        const { env, steps } = readGithubJob('github-order.yml', 'order')
        return {
          env: fillIn(env, values),
          scripts: steps.flatMap((step) =>
            step.run !== undefined && step.if === undefined ? [step.run] : [],
          ),
          afterFailure: steps.find((step) => step.if === 'failure()')?.run ?? '',
        }
      },
    },
    {
      system: 'GitLab',
      read: (values: Readonly<Record<string, string>>) => {
        const { variables, script, after_script: after = [] } = readGitlabJob('gitlab-order.yml', 'order')
        expect(Object.keys(variables)).toEqual(['ORDERCTL_BASE_URL', 'ORDERCTL_JOURNAL'])
        const names = {
          ORDERCTL_PACKAGE: 'vars.ORDERCTL_PACKAGE',
          ORDERCTL_API_KEY: 'secrets.ORDERCTL_API_KEY',
          PGPASSWORD: 'secrets.ORDERCTL_JOURNAL_PASSWORD',
          REFERENCE: 'inputs.reference',
          ORDERCTL_BASE_URL: 'vars.ORDERCTL_BASE_URL',
          ORDERCTL_JOURNAL: 'vars.ORDERCTL_JOURNAL',
        }
        const filled = Object.entries(names).map(([name, value]) => [name, values[value] ?? ''])
        return {
          env: { ...Object.fromEntries(filled), CI_JOB_STATUS: 'failed' } as Record<string, string>,
          scripts: [script.join('\n')],
          afterFailure: after.join('\n'),
        }
      },
    },
  ] as const

  const openShop = async () => {
    const database = await createDatabase()
    onTestFinished(() => database[Symbol.asyncDispose]())
    const service = await serveMock(['--processing-time', '0s'])
    const values = {
      'vars.ORDERCTL_PACKAGE': packageName,
      'vars.ORDERCTL_BASE_URL': service.url,
      'secrets.ORDERCTL_API_KEY': service.key,
      'vars.ORDERCTL_JOURNAL': database.address(),
      'secrets.ORDERCTL_JOURNAL_PASSWORD': database.password,
      'inputs.reference': 'PRIZES-2026-11',
    }
    const listOrders = async (): Promise<{ reference: string; state: string }[]> => {
      const response = await fetch(`${service.url}/_mock/state`, { headers: { 'x-api-key': service.key } })
      return ((await response.json()) as { orders: { reference: string; state: string }[] }).orders
    }
    return { service, values, listOrders }
  }

  test.each(systems)('buys once on $system, however often it runs', async ({ read }) => {
    const { values, listOrders } = await openShop()
    const { env, scripts, afterFailure } = read(values)
    for (const _ of [1, 2]) {
      const runner = openRunner({ 'order.json': order })
      for (const script of scripts) expect(await runner.run(script, env), runner.readLog()).toBe(0)
      expect(JSON.parse(runner.read('result.json'))).toMatchObject({ state: 'successful' })
      expect(runner.readLog()).not.toMatch(/warning|error/)
      expect(await runner.run(afterFailure, env)).toBe(0)
    }
    expect(await listOrders()).toMatchObject([{ reference: 'PRIZES-2026-11', state: 'successful' }])
  })

  test.each(systems)('is refused on $system without a shared journal', async ({ read }) => {
    const { values, listOrders } = await openShop()
    const { env, scripts } = read(values)
    const { ORDERCTL_JOURNAL: _, ...rest } = env
    const runner = openRunner({ 'order.json': order })
    expect(await runner.run(scripts.join('\n'), rest)).toBe(9)
    expect(runner.readLog()).toContain('--idempotent needs a journal that outlives this CI job')
    expect(await listOrders()).toEqual([])
  })

  test('buys again with a cache that was not saved, because its job was killed', async () => {
    const { values, listOrders } = await openShop()
    const { env, scripts } = systems[0].read(values)
    const { ORDERCTL_JOURNAL: _, ...rest } = env
    for (const _ of [1, 2]) {
      const runner = openRunner({ 'order.json': order })
      const cached = { ...rest, ORDERCTL_STATE_DIR: folder() }
      expect(await runner.run(scripts.join('\n'), cached), runner.readLog()).toBe(0)
    }
    expect(await listOrders()).toHaveLength(2)
  })
})

const tests = 'set -e\norderctl create --product GAME-US:25 --wallet USD --json > created.json\n'

describe('the job that tests', () => {
  test('starts serve-mock in the background on GitHub', async () => {
    const port = String(await findFreePort())
    const { env, steps } = readGithubJob('github-test.yml', 'test')
    const local = fillIn(env, { 'vars.ORDERCTL_PACKAGE': packageName })
    const runner = openRunner({ 'tests.sh': tests })
    for (const { run, if: condition } of steps) {
      if (run === undefined || condition !== undefined) continue
      const script = run.replace('serve-mock --json', `serve-mock --json --port ${port}`)
      const variables = { ...local, ORDERCTL_BASE_URL: `http://127.0.0.1:${port}` }
      expect(await runner.run(script, variables), runner.readLog()).toBe(0)
    }
    expect(JSON.parse(runner.read('created.json'))).toMatchObject({ id: expect.any(String) })
    // serve-mock writes the line after its response.
    await waitUntil(() => runner.read('serve-mock.log').includes('"path":"/order/create"'))
  })

  test('ends on GitHub if the port is in use', async () => {
    const { url } = await serveMock()
    const { port } = new URL(url)
    const { steps } = readGithubJob('github-test.yml', 'test')
    const runner = openRunner({})
    const [install = '', start = ''] = steps.flatMap(({ run }) => run ?? [])
    await runner.run(install, { ORDERCTL_PACKAGE: packageName })
    expect(await runner.run(start.replace('serve-mock --json', `serve-mock --json --port ${port}`), {})).toBe(
      1,
    )
    expect(runner.readLog()).toContain(`port ${port} is already in use`)
  })

  test('has serve-mock as a service on GitLab', async () => {
    const port = await findFreePort()
    const { variables, services, script } = readGitlabJob('gitlab-test.yml', 'test')
    const env: Record<string, string> = { ...variables, ORDERCTL_PACKAGE: packageName }
    const words = services?.[0]?.command ?? []
    const container = openRunner({})
    void container.run(
      words.map((word) => word.replace('serve-mock', `serve-mock --port ${port}`)),
      env,
    )
    await waitUntil(() => container.readLog().includes(`:${port}`))
    for (const [host, status] of [
      ['orders:4010', 404],
      ['attacker.example', 421],
    ]) {
      const headers = `Host: ${host}\r\nAuthorization: Bearer ${env.ORDERCTL_API_KEY}\r\nConnection: close`
      const { responses } = await exchange(port, `GET /order/get?orderId=none HTTP/1.1\r\n${headers}\r\n\r\n`)
      expect(responses).toEqual([[status, expect.any(String)]])
    }
    const runner = openRunner({ 'tests.sh': tests })
    const local = { ...env, ORDERCTL_BASE_URL: `http://127.0.0.1:${port}` }
    expect(await runner.run(`npm install --global "$ORDERCTL_PACKAGE"\n${script.join('\n')}`, local)).toBe(0)
    expect(JSON.parse(runner.read('created.json'))).toMatchObject({ id: expect.any(String) })
  })
})
