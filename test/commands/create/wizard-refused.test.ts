// create's questions if the service cannot be reached, or a response is lost. wizard.session has the others.
import { describe, expect, test } from 'vitest'
import { overSocket } from '../../support/world.ts'
import { wizardDesk } from './wizard-desk.ts'

const bySocket = wizardDesk(overSocket)

const place = 'Enter'
const rest = ['--wallet', 'USD', '--reference', 'ref-1']

test('where the service is not reached, it is shown again, too', async () => {
  const shop = await bySocket.open()
  const env = { ORDERCTL_BASE_URL: 'http://127.0.0.1:9' }
  const answers = ['GAME-US', '25', 'fixed', '', false, place, 'Esc']
  const ran = await bySocket.creating(rest, answers, { env }, shop)
  expect(ran).toMatchObject({ exit: 130, calls: 'create' })
  expect(ran.stderr).toContain('Nothing was bought. Your answers are kept.')
})

describe('a lost response spends nothing: it is shown again', { concurrent: true }, () => {
  const kept =
    /\nerror: create gave no usable response: [\s\S]*\sIt\swas\snot\sconfirmed\n[\s\S]*\nNothing was bought. Your answers are kept.\n/

  test('where it was refused at first, and then the response is lost; placed again, it is confirmed once', async () => {
    const shop = await bySocket.open()
    let losing: Promise<unknown> | undefined
    let confirms = 0
    shop.arrived.on('confirm', () => {
      confirms += 1
    })
    const goBack = () => {
      losing = shop.fault('create:reset-after')
      return '<'
    }
    const sold = ['TEST-OUT-OF-STOCK', '10', 'fixed', '', false, place]
    const toProduct = ['<', '<', '<', '<', '<']
    const answers = [
      ...sold,
      'e',
      goBack,
      ...toProduct,
      'GAME-US',
      '25',
      '',
      '',
      '',
      '',
      '',
      place,
      place,
      true,
    ]
    const ran = await bySocket.creating(rest, answers, {}, shop)
    await losing
    expect(ran).toMatchObject({ exit: 0, calls: 'create create create confirm' })
    expect(ran.stderr).toMatch(kept)
    expect(confirms).toBe(1)
  })
})
