// docs/uninstall.md: a home folder before orderctl was installed, beside the same folder after it was removed.
import { hash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { execa } from 'execa'
import { expect, test } from 'vitest'
import { createNpmPackage } from '../../build/release/npm-package.ts'
import { folder, serveMock } from '../support/orderctl.ts'
import { findFreePort } from '../support/postgres/server.ts'
import { readBlocks } from './guide.ts'

const guide = readFileSync('docs/uninstall.md', 'utf8')

/** The folder on Linux, and the names of the files in it, of each row of the table of files. */
const readFilesTable = () => {
  const rows = guide.slice(guide.indexOf('## Files'), guide.indexOf('A command that is killed')).split('\n')
  return rows
    .filter((row) => row.startsWith('| ') && !row.startsWith('| Files'))
    .map((row) => {
      const [, files = '', linux = ''] = row.split('|')
      const inFolder = /`~\/([^`]+)`/.exec(linux)?.[1] ?? ''
      return { inFolder, names: [...files.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name) }
    })
}

const isNamed = (file: string): boolean =>
  readFilesTable().some(({ inFolder, names }) => {
    if (!file.startsWith(`${inFolder}/`)) return false
    const within = file.slice(inFolder.length + 1).replace(/-(wal|shm)$/, '')
    return (
      names.length === 0 ||
      names.some((name) => {
        const [start = '', end] = name.split('…')
        if (end !== undefined) return within.startsWith(start) && within.endsWith(end)
        return within === name || (name.endsWith('/') && within.startsWith(name))
      })
    )
  })

/** The files of a folder and the hashes of their content. */
const listFiles = (home: string): Map<string, string> =>
  new Map(
    readdirSync(home, { recursive: true, encoding: 'utf8' })
      .filter((name) => statSync(path.join(home, name)).isFile())
      .map((name) => [name, hash('sha256', readFileSync(path.join(home, name)))]),
  )

const openHome = () => {
  const root = folder()
  const home = path.join(root, 'home')
  mkdirSync(home)
  writeFileSync(path.join(home, '.bashrc'), 'export EDITOR=vi\n')
  const prefix = path.join(root, 'prefix')
  const env = {
    PATH: `${path.join(prefix, 'bin')}:${path.dirname(process.execPath)}:${process.env.PATH}`,
    ...{ HOME: home, npm_config_prefix: prefix, npm_config_cache: path.join(root, 'npm') },
    SHELL: '/bin/bash',
  }
  const run = async (line: string, exits = [0]): Promise<string> => {
    const options = { env, extendEnv: false, cwd: root, reject: false, stdin: 'ignore', all: true } as const
    const { exitCode = -1, all, stdout } = await execa('sh', ['-c', line], options)
    expect(exits, `${line}\n${all}`).toContain(exitCode)
    return stdout
  }
  return { root, home, run }
}

/** Stops `listen` while a webhook delivery waits, because nothing listens at its target. */
const leaveDelivery = (port: number): string =>
  `orderctl listen --profile shop --port ${port} --path /hook --forward-to http://127.0.0.1:9 &
  orderctl create --profile shop --product GAME-US:25 --wallet USD --confirm --webhook-url http://127.0.0.1:${port}/hook
  for _ in $(seq 150); do orderctl listen --profile shop --status | grep 'waiting *[1-9]' && break; sleep 0.2; done
  kill $! && wait $!`

test('only what the guide names stays after orderctl is removed, and the journal and the profiles are unchanged', {
  timeout: 240_000,
}, async () => {
  const { root, home, run } = openHome()
  const before = listFiles(home)
  writeFileSync(path.join(root, 'orderctl.tgz'), createNpmPackage(root, 1_790_000_000))
  await run('npm install --global --offline --no-fund orderctl.tgz')
  const shop = await serveMock(['--processing-time', '0s'])
  writeFileSync(path.join(root, 'key'), shop.key)
  await run('orderctl create --product GAME-US:25x2 --wallet USD --confirm --watch')
  await run(`orderctl profile add shop --base-url ${shop.url} --key-file key`)
  await run(
    'orderctl batch run --profile shop --name gifts --product GAME-US:25x8 --wallet USD --max-total 500',
  )
  await run('orderctl completion install bash && orderctl completion install fish')
  await run('orderctl serve-mock --exec -- orderctl create --product GAME-US:25 --wallet USD')
  await run(leaveDelivery(await findFreePort()), [143])
  expect(await run('orderctl listen --profile shop --status')).toMatch(/waiting +[12] /)
  await run('orderctl report && orderctl doctor', [0, 9])
  await run("orderctl completion uninstall | sh && sed -i '/orderctl.bash/d' ~/.bashrc")
  const used = listFiles(home)
  await run('npm uninstall --global orderctl')
  const after = listFiles(home)
  expect(after).toEqual(used)
  const left = [...after.keys()].filter((file) => before.get(file) !== after.get(file))
  expect(left).toEqual(
    expect.arrayContaining(['.config/orderctl/profiles.json', '.local/state/orderctl/journal.db']),
  )
  expect(left.filter((file) => !isNamed(file))).toEqual([])
  const removal = readBlocks('docs/uninstall.md').find(({ text }) => text.startsWith('rm -r '))?.text ?? ''
  await run(removal)
  expect(listFiles(home)).toEqual(before)
})
