// A CI job without a state folder of its own: with a shared journal it buys once. Without one, it is warned.
import { describe, expect, test } from 'vitest'
import { openWorld, overSocket, overSocketUnhurried } from '../../support/world.ts'
import { buy } from './team.ts'

const job = { CI: 'true', ORDERCTL_STATE_DIR: undefined }
const warning =
  'the journal of this CI job is lost when the job ends, and the same command buys again then. ' +
  'Set ORDERCTL_JOURNAL to the address of a shared journal, or ORDERCTL_STATE_DIR to a folder that is kept between jobs.'

describe('with a journal that is lost with the job', () => {
  test.each<[string, readonly string[]]>([
    ['create', [...buy, '-q']],
    ['batch run', ['batch', 'run', 'rows.csv', '--wallet', 'USD', '--max-total', '50', '--json']],
  ])('%s warns', async (_, words) => {
    const shop = await openWorld(overSocket)
    shop.file('sku,quote,quantity\nGAME-US,25,1\n', 'rows.csv')
    const { exit, stderr, stdout } = await shop.run(words, { env: { ...job, HOME: shop.home } })
    expect(exit, stderr).toBe(0)
    expect(JSON.stringify([stdout, stderr])).toContain(warning)
  })

  test('no warning with a state folder, outside CI, or in the sandbox', async () => {
    const shop = await openWorld(overSocketUnhurried)
    const { exit, stderr } = await shop.run([...buy, '-q'], { env: { CI: 'true' } })
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: expect.not.stringContaining('warning') })
    const sandbox = await openWorld()
    const inSandbox = await sandbox.run([...buy, '-q'], { env: job })
    expect(inSandbox.stderr).not.toContain('warning')
    expect((await sandbox.run([...buy.with(6, 'po-2'), '-q'])).stderr).not.toContain('warning')
  })
})
