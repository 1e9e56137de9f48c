// Runs every command of the README that needs no clone, in order, and the guide of serve-mock.
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { openHome } from './docs/guide.ts'
import { orderctl } from './support/orderctl.ts'

const shellBlocks = (guide: string, title: string): string[] => {
  const section = readFileSync(guide, 'utf8').split(`\n## ${title}\n`)[1]?.split(/\n## /)[0] ?? ''
  return [...section.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block)
}

test('every command of the README works as it stands, in order, from an empty home', async () => {
  const titles = readFileSync('README.md', 'utf8').split('\n## ').slice(1)
  // Other tests install the packages, and this one is the rest.
  expect(titles.filter((each) => each.includes('```sh\n')).map((each) => each.split('\n')[0])).toEqual([
    'Install',
    'First purchase',
    'Recipes',
    'Your account',
    'Run the tests',
  ])
  const { home, run } = openHome()
  const read = (name: string): string => readFileSync(path.join(home, name), 'utf8')
  const runBlocks = async (...titles: string[]): Promise<string> => {
    const script = titles.flatMap((title) => shellBlocks('README.md', title)).join('\n')
    const { exitCode, all } = await run(
      `set -eu\n${script.replaceAll('npm ci && npx orderctl', 'orderctl').replaceAll('npm test', 'true')}`,
    )
    expect({ exitCode, all }).toMatchObject({ exitCode: 0 })
    return all
  }
  const [bought = '', tried = ''] = shellBlocks('README.md', 'First purchase')
  expect([bought, tried]).not.toContain('')
  expect(await runBlocks('First purchase')).toContain('SANDBOX-')

  const [buy = '', ...others] = shellBlocks('README.md', 'Recipes')
  expect(others).toHaveLength(5)
  const printed = await runBlocks('Recipes')
  const first = JSON.parse(read('result.json'))
  expect(first).toMatchObject({ state: 'successful', reference: 'my-reference-1' })
  expect((await run(buy)).exitCode).toBe(0)
  expect(JSON.parse(read('result.json')).uid).toBe(first.uid)
  const codes = read('codes.txt').trim().split('\n')
  expect(codes).toHaveLength(2)
  for (const code of codes) {
    expect(code).toMatch(/^SANDBOX-/)
    expect(read('cards.html')).toContain(code)
    expect(read('cards.csv')).toContain(code)
    expect(printed).not.toContain(code)
  }
  expect(new Set(read('codes.csv').match(/SANDBOX(-[A-Z0-9]{4}){4}/g)).size).toBe(6)
  expect(read('.bashrc')).toContain('orderctl.bash')

  const [account = ''] = shellBlocks('README.md', 'Your account')
  const script = account.replace('https://orders.example.com', '"$ORDERCTL_BASE_URL"')
  expect(script).not.toBe(account)
  writeFileSync(path.join(home, 'account.sh'), `set -eu\necho "$ORDERCTL_API_KEY" > key.txt\n${script}`)
  const { exitCode, all } = await run('orderctl serve-mock --exec -- sh account.sh')
  expect({ exitCode, all }).toMatchObject({ exitCode: 0, all: expect.stringContaining('ok:') })
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
