// create's questions at 60 columns, and with an order file that is a pipe. wizard.session has the others.
import { execFileSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
import { wizardDesk } from './wizard-desk.ts'

const { open, creating } = wizardDesk()

const place = 'Enter'
/** Where products alone are asked for. */
const asksProducts = ['--wallet', 'USD', '--reference', 'ref-1']
const game = ['GAME-US', '']

test('on 60 columns no line is longer, but the command, which is one', async () => {
  const answers = [...game, true, 'COFFEE-US', '12.50', '2', false, place, true]
  const ran = await creating(asksProducts, answers, { env: { COLUMNS: '60' } })
  const long = `${ran.stderr}${ran.stdout}`.split('\n').filter((each) => each.length > 60)
  expect(long.filter((each) => !each.includes('orderctl'))).toEqual([])
})

test.skipIf(process.platform === 'win32')('an order file that is a pipe is read once', async () => {
  const whole = {
    productList: [{ sku: 'GAME-US', productType: 'fixed', quote: 25, quantity: 2 }],
    wallet: 'EUR',
    reference: 'ref-9',
  }
  const shop = await open()
  const pipe = path.join(shop.home, 'pipe')
  execFileSync('mkfifo', [pipe])
  const written = writeFile(pipe, JSON.stringify(whole))
  const ran = await creating([pipe], [], {}, shop)
  await written
  expect(ran).toMatchObject({ exit: 0, questions: [], sent: [whole] })
})
