// Runs the recipes of the README and of the guide of serve-mock.
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { executable, folder, orderctl } from './support/orderctl.ts'

const shellBlocks = (guide: string, title: string): string[] => {
  const section = readFileSync(guide, 'utf8').split(`\n## ${title}\n`)[1]?.split(/\n## /)[0] ?? ''
  return [...section.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block)
}

test('the recipes of the README work as they stand', async () => {
  const home = folder()
  const program = path.join(home, 'orderctl')
  writeFileSync(program, `#!/bin/sh\nexec ${executable.map((word) => `'${word}'`).join(' ')} "$@"\n`)
  chmodSync(program, 0o755)
  const { stdout: skeleton } = await orderctl(['create', '--skeleton'])
  const order = { ...JSON.parse(skeleton), reference: 'team-lunch' }
  writeFileSync(path.join(home, 'order.json'), JSON.stringify(order))
  const [buy = '', ...others] = shellBlocks('README.md', 'Recipes')
  expect(others).toHaveLength(5)
  writeFileSync(path.join(home, 'orders.csv'), 'name,sku,quote,quantity\nAda Lovelace,GAME-US,25,6\n')
  const script = [buy, 'cp result.json first.json', buy, ...others].join('\n').replaceAll('npm test', 'true')
  const env = {
    PATH: `${home}:${process.env.PATH}`,
    CI: '1',
    SHELL: '/bin/bash',
    ORDERCTL_STATE_DIR: path.join(home, 'state'),
  }
  const words = ['serve-mock', '--exec', '--', 'sh', '-euc', script]
  const { exit, stdout } = await orderctl(words, { cwd: home, env })
  expect({ exit, stdout }).toMatchObject({ exit: 0, stdout: expect.stringContaining('export') })
  const read = (name: string): string => readFileSync(path.join(home, name), 'utf8')
  const [first, second] = [JSON.parse(read('first.json')), JSON.parse(read('result.json'))]
  expect(first).toMatchObject({ state: 'successful', reference: 'team-lunch' })
  expect(second.uid).toBe(first.uid)
  const codes = read('codes.txt').trim().split('\n')
  expect(codes).toHaveLength(2)
  for (const code of codes) {
    expect(code).toMatch(/^SANDBOX-/)
    expect(read('cards.html')).toContain(code)
    expect(read('cards.csv')).toContain(code)
    expect(stdout).not.toContain(code)
  }
  expect(read('.bashrc')).toContain('orderctl.bash')
})

test('the way through serve-mock with curl works as it stands', async () => {
  const [tour = ''] = shellBlocks('docs/serve-mock.md', 'Try it with curl')
  const { exit, stdout } = await orderctl(['serve-mock', '--exec', '--', 'sh', '-euc', tour])
  const [confirmed, got] = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(exit).toBe(0)
  expect(confirmed.data.state).toBe('confirmed')
  expect(got.data).toMatchObject({ state: 'successful', reference: 'my-first-order' })
  expect(got.data.redeem['GAME-US'].cards).toHaveLength(2)
})
