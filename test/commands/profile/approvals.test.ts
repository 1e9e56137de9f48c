// profile limits --approve-above and --remove-approval.
import { expect, test } from 'vitest'
import { openTeamShop } from '../../support/postgres/team-shop.ts'
import { openWorld, overSocket } from '../../support/world.ts'

test('an approval limit is set, shown, replaced and removed', async () => {
  const shop = await openTeamShop()
  const limits = async (...words: string[]) => {
    const { exit, stdout, stderr } = await shop.as('ana', ['profile', 'limits', ...words])
    return { exit, stdout, stderr }
  }
  expect(await limits('--approve-above', '1000USD', '--approve-above', '50.50EUR')).toEqual({
    exit: 0,
    stdout: expect.stringMatching(
      /^Batches above 50\.50 EUR need an approval \(set by \w+_ana, .* UTC\)\nBatches above 1,000\.00 USD need an approval \(set by .*\)\n$/,
    ),
    stderr:
      'Batches of environment above 1,000.00 USD now need an approval\nBatches of environment above 50.50 EUR now need an approval\n',
  })
  await limits('--approve-above', '0USD', '--remove-approval', 'EUR', '--budget', '500USD/day')
  const { stdout } = await limits('--json')
  expect(JSON.parse(stdout)).toMatchObject({
    budgets: [{ per: 'day', currency: 'USD' }],
    approvals: [{ currency: 'USD', above: 0, account: null, setBy: expect.stringMatching(/_ana$/) }],
  })
  expect((await limits()).stdout).toMatch(
    /^BUDGET .*\n─+.*\n500(.*\n)+Every batch in USD needs an approval \(set by .*\)\n$/,
  )
  const { stderr } = await limits('--remove-approval', 'USD', '--remove-budget', 'day')
  expect(stderr).toContain('Batches of environment in USD no longer need an approval\n')
  expect(await limits('--remove-approval', 'USD')).toEqual({
    exit: 2,
    stdout: '',
    stderr:
      'error: environment has no approval limit in USD; nothing was changed\ntry: orderctl profile limits environment\n',
  })
})

test('the journal of one machine refuses an approval limit', async () => {
  const [shop, sandbox] = [await openWorld(overSocket), await openWorld()]
  const words = ['profile', 'limits', '--approve-above', '1000USD']
  expect(await shop.run(words)).toMatchInlineSnapshot(`
    {
      "exit": 2,
      "stderr": "error: --approve-above needs a journal that a team shares, but environment uses the journal of this machine; nothing was changed
    Set ORDERCTL_JOURNAL=postgres://user@host/database.
    ",
      "stdout": "",
    }
  `)
  expect(await sandbox.run(words)).toMatchInlineSnapshot(`
    {
      "exit": 2,
      "stderr": "error: --approve-above needs a journal that a team shares, but sandbox uses the journal of this machine; nothing was changed
    Use a profile with a shared journal (--journal). Add one: orderctl profile add
    ",
      "stdout": "",
    }
  `)
  // Nothing was created.
  expect((await shop.run(['profile', 'limits', '--json'])).stdout).toContain('"approvals": []')
})
