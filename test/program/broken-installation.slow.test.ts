// A package whose dist/ is missing, incomplete, or removed while it runs: one sentence, and no purchase is hidden.
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { execa } from 'execa'
import { describe, expect, test } from 'vitest'
import { executable, folder } from '../support/orderctl.ts'
import { inRealTime, openWorld } from '../support/world.ts'

// The standalone executable is one file.
const isPackage = executable.length > 1

/** A copy of the built package. */
const install = () => {
  const root = folder()
  for (const name of ['bin', 'dist', 'completions', 'package.json'])
    cpSync(name, path.join(root, name), { recursive: true })
  const dist = path.join(root, 'dist')
  const find = (name: string): string => globSync(path.join(dist, name))[0] ?? ''
  const run = (words: readonly string[], env: Readonly<Record<string, string>> = {}, cwd = root) =>
    execa(process.execPath, [path.join(root, 'bin/orderctl.cjs'), ...words], {
      ...{ cwd, reject: false, extendEnv: false, stripFinalNewline: false },
      env: { PATH: process.env.PATH ?? '', HOME: cwd, ...env },
    }).then(({ exitCode, stdout, stderr }) => ({ exit: exitCode, stdout, stderr }))
  return { root, dist, find, run, remove: () => rmSync(dist, { recursive: true }) }
}

/** In the middle of a function. */
const cutOff = (file: string): void => {
  const text = readFileSync(file, 'utf8')
  writeFileSync(file, text.slice(0, text.indexOf('=>{') + 3))
}

/** Compares the error as text and as JSON. */
const expectError = async (
  { run }: Pick<ReturnType<typeof install>, 'run'>,
  { exit = 72, env = {}, words = ['list'] },
  [message, fix, advice]: readonly [message: string, fix: string | undefined, advice?: string],
): Promise<void> => {
  const lines = [`error: ${message}`, fix && `try: ${fix}`, advice].filter(Boolean)
  expect(await run(words, env)).toEqual({ exit, stdout: '', stderr: `${lines.join('\n')}\n` })
  const { stdout, stderr } = await run([...words, '--json'], env)
  const code = exit === 72 ? 'installation' : 'usage'
  expect([stdout, JSON.parse(stderr).error]).toEqual([
    '',
    { code, reason: code, message, ...(fix && { fix }), ...(advice && { advice }), retryable: false },
  ])
  expect((await run(words, { ...env, ORDERCTL_JSON: '1' })).stderr).toBe(stderr)
}

const notInstalled = 'orderctl is not completely installed: a file of dist/ is missing or incomplete'
const missing =
  'a file of orderctl is missing or incomplete: orderctl was updated while it ran, or is not completely installed'
const installAgain = 'If that fails too, install orderctl again as you installed it.'
const runAgain = `Run the command again. ${installAgain}`

describe.skipIf(!isPackage)('before it starts', () => {
  test.each<[string, (installed: ReturnType<typeof install>) => void]>([
    ['dist/ is missing', ({ remove }) => remove()],
    ['main.cjs is cut off', ({ find }) => truncateSync(find('main.cjs'), 5_000)],
    ['a file that main.cjs loads is missing', ({ find }) => rmSync(find('rolldown-runtime-*.cjs'))],
  ])('%s', async (_, damage) => {
    const installed = install()
    damage(installed)
    // Nothing is published under the name 'orderctl', so the package that npm finds by it may be anyone's.
    await expectError(installed, {}, [notInstalled, undefined, 'Install orderctl again as you installed it.'])
  })
})

/** Makes Node report a different version. test/release/old-versions.test.ts uses real old ones. */
const asOldNode = (version: string) => {
  const file = path.join(folder(), 'version.cjs')
  writeFileSync(file, `Object.defineProperty(process.versions, 'node', { value: '${version}' })`)
  return { NODE_OPTIONS: `--require ${file}` }
}

describe.skipIf(!isPackage)('a clone', () => {
  const clone = () => {
    const installed = install()
    mkdirSync(path.join(installed.root, 'build'))
    cpSync('build/bundle.ts', path.join(installed.root, 'build/bundle.ts'))
    return installed
  }

  test.each([process.versions.node, '20.20.2'])('that is not built, under Node %s', async (version) => {
    const [installed, env] = [clone(), asOldNode(version)]
    installed.remove()
    const message = 'this clone of the repository is not built'
    await expectError(installed, { env }, [message, 'npm ci --ignore-scripts=false', 'Run it in the clone.'])
  })

  test('under a Node that is not supported', async () => {
    await expectError(clone(), { exit: 2, env: asOldNode('20.20.2') }, [
      'orderctl needs Node 24.15 or a later 24, or Node 26 or later. This is Node 20.20.2',
      undefined,
      'Install Node 26, or type npx orderctl in the clone, or build the file that needs no Node: npm run build:standalone',
    ])
  })
})

test.skipIf(!isPackage).each(['18.20.8', '24.14.1', '25.9.0'])('under Node %s', async (version) => {
  await expectError(install(), { exit: 2, env: asOldNode(version) }, [
    `orderctl needs Node 24.15 or a later 24, or Node 26 or later. This is Node ${version}`,
    undefined,
    'Install Node 26 from https://nodejs.org, or use the standalone file of orderctl, which needs no Node',
  ])
})

describe.skipIf(!isPackage)('a part that a command loads', () => {
  test.each<[string, (file: string) => void]>([
    ['is missing', (file) => rmSync(file)],
    ['is cut off', cutOff],
  ])('%s', async (_, damage) => {
    const installed = install()
    damage(installed.find('list-run-*.cjs'))
    await expectError(installed, {}, [missing, undefined, runAgain])
    // Other commands work.
    expect((await installed.run(['profile', 'list'])).exit).toBe(0)
    // The part that prints errors is missing, too.
    rmSync(installed.find('get-run-*.cjs'))
    await expectError(installed, {}, [missing, undefined, runAgain])
  })

  test('of create says to check the orders first', async () => {
    const installed = install()
    rmSync(installed.find('create-run-*.cjs'))
    const words = ['create', '--product', 'GAME-US:25', '--wallet', 'USD']
    const advice = `Check what was ordered. ${installAgain}`
    await expectError(installed, { words }, [missing, 'orderctl list', advice])
  })
})

describe.skipIf(!isPackage)('dist/ is removed while it runs', () => {
  const order = ['create', '--product', 'GAME-US:25', '--wallet', 'USD', '--reference', 'r']

  test.each([
    [[...order], 'create', /^Order +sbx_/],
    [[...order, '--confirm', '--json'], 'confirm', /^\{\n/],
    [[...order, '--confirm', '--watch', '-q'], 'confirm', /^sbx_\w+\n$/],
    [[...order, '--confirm', '--watch'], 'confirm', /^Order +sbx_/],
  ])('%j at %s: the purchase is printed', async (words, at, stdout) => {
    const shop = await openWorld(inRealTime)
    const { run, remove } = install()
    shop.arrived.once(at, remove)
    const ran = await run(words, { ...shop.environment, FORCE_COLOR: '1' }, shop.home)
    expect(ran.stderr).not.toContain('error:')
    expect(ran.stdout.replaceAll(/\u001b\[\d+m/g, '')).toMatch(stdout)
    expect(ran.exit).toBe(0)
  })

  test.each([
    ['is lost', 'confirm:reset-after', 0, /^\{\n/, /^/],
    ['is a refusal', 'confirm:status=429', 3, /^$/, /"code":"refused"/],
  ])('a confirm whose response %s is still reported', async (_, fault, exit, stdout, stderr) => {
    const shop = await openWorld(inRealTime)
    const { run, remove } = install()
    await shop.fault(fault)
    shop.arrived.once('confirm', remove)
    const ran = await run([...order, '--confirm', '--json'], shop.environment, shop.home)
    expect(ran).toEqual({
      exit,
      stdout: expect.stringMatching(stdout),
      stderr: expect.stringMatching(stderr),
    })
  })
})
