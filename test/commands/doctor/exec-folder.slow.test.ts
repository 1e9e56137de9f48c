// doctor finds the state folder that a killed `serve-mock --exec` has left in the temporary folder.
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { folder, orderctl, start } from '../../support/orderctl.ts'
import type { Check } from './desk.ts'

const examine = async (temporary: string): Promise<readonly Check[]> => {
  const { stdout } = await orderctl(['doctor', '--json'], { env: { TMPDIR: temporary } })
  const { checks }: { checks: readonly Check[] } = JSON.parse(stdout)
  return checks.filter(({ group }) => group === 'Temporary files')
}

const nothing = [expect.objectContaining({ name: 'Leftovers', status: 'ok', detail: 'no temporary files' })]

test('of a serve-mock that runs is not named; of a killed one is, with a command that removes it', async () => {
  const temporary = folder()
  const script = `
    require('node:fs').writeFileSync(process.env.ORDERCTL_STATE_DIR + '/journal.db', 'x'.repeat(2048))
    console.log(process.pid)
    setTimeout(() => {}, 30_000)`
  const served = start(['serve-mock', '--exec', '--', process.execPath, '-e', script], {
    env: { TMPDIR: temporary },
  })
  const command = await new Promise<number>((resolve) =>
    served.stdout.once('data', (line) => resolve(Number(line))),
  )
  expect(await examine(temporary)).toEqual(nothing)
  served.kill('SIGKILL')
  // It keeps the output of serve-mock open.
  process.kill(command, 'SIGKILL')
  await served
  const [name = ''] = readdirSync(temporary)
  const left = path.join(temporary, name)
  const found = await examine(temporary)
  expect(found).toEqual([
    {
      ...{ group: 'Temporary files', name: 'Leftover', data: null, status: 'warning' },
      detail: `${left} (2.0 KiB) was left by serve-mock --exec, which was killed`,
      fix: `rm -r ${left}`,
      advice: null,
    },
  ])
  execFileSync('sh', ['-c', found[0]?.fix ?? ''])
  expect(await examine(temporary)).toEqual(nothing)
})

test('with another name, or that is no folder, is not named', async () => {
  const temporary = folder()
  // No process has so large an id.
  const id = 2 ** 30
  for (const name of ['orderctl-exec-abcdef', `orderctl-exec-${id}`, `my-orderctl-exec-${id}-abcdef`])
    mkdirSync(path.join(temporary, name))
  writeFileSync(path.join(temporary, `orderctl-exec-${id}-abcdef`), '')
  symlinkSync(folder(), path.join(temporary, `orderctl-exec-${id}-ghijkl`))
  expect(await examine(temporary)).toEqual(nothing)
  mkdirSync(path.join(temporary, `orderctl-exec-${id}-mnopqr`))
  expect(await examine(temporary)).toMatchObject([{ detail: expect.stringContaining('mnopqr (0 bytes) ') }])
})
