// A package whose dist/ is missing, incomplete, or removed while it runs: one sentence, and no purchase is hidden.
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
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

const notInstalled = 'orderctl is not completely installed: a file of dist/ is missing or incomplete'
const installIt = 'npm install --global orderctl'
const missing =
  'a file of orderctl is missing or incomplete: orderctl was updated while it ran, or is not completely installed'
const installAgain = 'If that fails too, install orderctl again: npm install --global orderctl'

describe.skipIf(!isPackage)('before it starts', () => {
  test.each<[string, (installed: ReturnType<typeof install>) => void]>([
    ['dist/ is missing', ({ remove }) => remove()],
    [
      'dist/ is empty',
      ({ dist }) => {
        rmSync(dist, { recursive: true })
        mkdirSync(dist)
      },
    ],
    ['main.cjs is empty', ({ find }) => writeFileSync(find('main.cjs'), '')],
    [
      'main.cjs is cut off',
      ({ find }) => writeFileSync(find('main.cjs'), readFileSync(find('main.cjs')).subarray(0, 5_000)),
    ],
    ['a file that main.cjs loads is missing', ({ find }) => rmSync(find('rolldown-runtime-*.cjs'))],
  ])('%s', async (_, damage) => {
    const installed = install()
    damage(installed)
    expect(await installed.run(['list'])).toEqual({
      ...{ exit: 72, stdout: '' },
      stderr: `error: ${notInstalled}\ntry: ${installIt}\n`,
    })
    const json = await installed.run(['list', '--json'])
    expect({ exit: json.exit, stdout: json.stdout, error: JSON.parse(json.stderr).error }).toEqual({
      ...{ exit: 72, stdout: '' },
      error: { code: 'installation', message: notInstalled, fix: installIt, retryable: false },
    })
    expect((await installed.run(['list'], { ORDERCTL_JSON: '1' })).stderr).toBe(json.stderr)
  })
})

describe.skipIf(!isPackage)('a clone that is not built', () => {
  const clone = () => {
    const installed = install()
    installed.remove()
    mkdirSync(path.join(installed.root, 'build'))
    cpSync('build/bundle.ts', path.join(installed.root, 'build/bundle.ts'))
    return installed
  }
  const message = 'this clone of the repository is not built'
  const remedy = { fix: 'npm ci --ignore-scripts=false', advice: 'Run it in the clone.' }

  test('is reported, with how to build it', async () => {
    const { run } = clone()
    const expected = {
      exit: 72,
      stdout: '',
      stderr: `error: ${message}\ntry: ${remedy.fix}\n${remedy.advice}\n`,
    }
    expect(await run(['--version'])).toEqual(expected)
    expect(await run(['list'], { NODE_OPTIONS: asOldNode('20.20.2') })).toEqual(expected)
    const json = await run(['list', '--json'])
    expect(JSON.parse(json.stderr).error).toEqual({
      code: 'installation',
      message,
      ...remedy,
      retryable: false,
    })
  })
})

/** Makes Node report a different version. test/release/old-versions.test.ts uses real old ones. */
const asOldNode = (version: string): string => {
  const file = path.join(folder(), 'version.cjs')
  writeFileSync(file, `Object.defineProperty(process.versions, 'node', { value: '${version}' })`)
  return `--require ${file}`
}

describe.skipIf(!isPackage)('under a Node that is not supported', () => {
  const needs = 'orderctl needs Node 24.15 or a later 24, or Node 26 or later. This is Node'

  test.each(['18.20.8', '20.20.2', '22.23.3', '24.14.1', '25.9.0'])('%s: the package', async (version) => {
    const { run } = install()
    const env = { NODE_OPTIONS: asOldNode(version) }
    const advice =
      'Install Node 26 from https://nodejs.org, or use the standalone file of orderctl, which needs no Node'
    expect(await run(['list'], env)).toEqual({
      ...{ exit: 2, stdout: '' },
      stderr: `error: ${needs} ${version}\n${advice}\n`,
    })
    const { stderr } = await run(['list', '--json'], env)
    expect(JSON.parse(stderr).error).toEqual({
      ...{ code: 'usage', message: `${needs} ${version}`, advice, retryable: false },
    })
  })

  test('a clone', async () => {
    const { root, run } = install()
    mkdirSync(path.join(root, 'build'))
    cpSync('build/bundle.ts', path.join(root, 'build/bundle.ts'))
    expect(await run(['list'], { NODE_OPTIONS: asOldNode('20.20.2') })).toEqual({
      ...{ exit: 2, stdout: '' },
      stderr: `error: ${needs} 20.20.2\nInstall Node 26, or type npx orderctl in the clone, or build the file that needs no Node: npm run build:standalone\n`,
    })
  })
})

describe.skipIf(!isPackage)('a part that a command loads', () => {
  test.each<[string, (file: string) => void]>([
    ['is missing', (file) => rmSync(file)],
    ['is cut off', cutOff],
  ])('%s', async (_, damage) => {
    const { find, run } = install()
    damage(find('list-run-*.cjs'))
    const list = {
      ...{ exit: 72, stdout: '' },
      stderr: `error: ${missing}\nRun the command again. ${installAgain}\n`,
    }
    expect(await run(['list'])).toEqual(list)
    const { exit, stderr } = await run(['list', '--json'])
    const advice = `Run the command again. ${installAgain}`
    expect({ exit, error: JSON.parse(stderr).error }).toEqual({
      exit: 72,
      error: { code: 'installation', message: missing, advice, retryable: false },
    })
    // Other commands work.
    expect((await run(['profile', 'list'])).exit).toBe(0)
    // The part that prints errors is missing, too.
    rmSync(find('get-run-*.cjs'))
    expect(await run(['list'])).toEqual(list)
    expect(JSON.parse((await run(['list', '--json'])).stderr).error).toEqual({
      code: 'installation',
      ...{ message: missing, advice, retryable: false },
    })
  })

  test('of create says to check the orders first', async () => {
    const { find, run } = install()
    rmSync(find('create-run-*.cjs'))
    const { exit, stderr } = await run(['create', '--product', 'GAME-US:25', '--wallet', 'USD'])
    expect({ exit, stderr }).toEqual({
      exit: 72,
      stderr: `error: ${missing}\ntry: orderctl list\nCheck what was ordered. ${installAgain}\n`,
    })
  })

  test('of completion: the TAB key prints nothing', async () => {
    const { find, run } = install()
    rmSync(find('complete-*.cjs'))
    expect(await run(['__complete', '--', 'ge'])).toEqual({ exit: 72, stdout: '', stderr: '' })
  })

  test('of the package beside dist/', async () => {
    const { root, run } = install()
    rmSync(path.join(root, 'completions'), { recursive: true })
    expect(await run(['completion', 'bash'])).toMatchObject({
      exit: 72,
      stderr: `error: ${missing}\nRun the command again. ${installAgain}\n`,
    })
    const { exit, stdout } = await run(['doctor', '--json'])
    expect({
      exit,
      found: JSON.parse(stdout).checks.find(({ group }: { group: string }) => group === 'Completion'),
    }).toMatchObject({
      exit: 9,
      found: { status: 'problem', detail: missing },
    })
  })
})

describe.skipIf(!isPackage)('dist/ is removed while it runs', () => {
  const order = ['create', '--product', 'GAME-US:25', '--wallet', 'USD', '--reference', 'r']

  test.each([
    [[...order], 'create', /^Order +sbx_/],
    [[...order, '--confirm'], 'create', /^Order +sbx_/],
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

  test('a confirm whose response is lost is still reported', async () => {
    const shop = await openWorld(inRealTime)
    const { run, remove } = install()
    await shop.fault('confirm:reset-after')
    shop.arrived.once('confirm', remove)
    const { exit, stdout } = await run([...order, '--confirm', '--json'], shop.environment, shop.home)
    expect({ exit, state: JSON.parse(stdout).state }).toEqual({ exit: 0, state: expect.any(String) })
  })

  test('a confirm that is refused is still reported', async () => {
    const shop = await openWorld(inRealTime)
    const { run, remove } = install()
    await shop.fault('confirm:status=429')
    shop.arrived.once('confirm', remove)
    const { exit, stderr } = await run([...order, '--confirm', '--json'], shop.environment, shop.home)
    expect({ exit, code: JSON.parse(stderr.trim().split('\n').at(-1) ?? '').error.code }).toEqual({
      exit: 3,
      code: 'refused',
    })
  })

  test('get --explain ends in one sentence', async () => {
    const shop = await openWorld(inRealTime)
    const id = await shop.created('GAME-US:25')
    const { run, remove } = install()
    shop.arrived.once('get', remove)
    const { exit, stdout, stderr } = await run(['get', id, '--explain'], shop.environment, shop.home)
    expect({ exit, stdout, stderr }).toEqual({
      ...{ exit: 72, stdout: '' },
      stderr: `error: ${missing}\nRun the command again. ${installAgain}\n`,
    })
  })
})
