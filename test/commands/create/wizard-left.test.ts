// create's questions, each of them left: nothing is sent, and what was answered is kept as a command.
import { describe, expect, test } from 'vitest'
import { wizardDesk, wordsOf } from './wizard-desk.ts'

const { creating } = wizardDesk()

const place = 'Enter'
const lines = (...products: string[]) => ['create', ...products.flatMap((each) => ['--product', each])]
const rest = ['--wallet', 'USD', '--reference', 'ref-1']
const game = ['GAME-US', '']

type Answers = Parameters<typeof creating>[1]

describe('left, nothing is sent and nothing is lost', { concurrent: true }, () => {
  const whole: Answers = [...game, true, 'COFFEE-US', '10', '2', false, 'USD', 'ref-1', place]
  const both = [...lines('GAME-US:25', 'COFFEE-US:10x2')]
  test.each<[number, string, unknown[]]>([
    [0, 'the product', ['']],
    [1, 'the quantity', ['']],
    [2, 'another product', [...lines('GAME-US:25')]],
    [4, 'the amount', [...lines('GAME-US:25')]],
    [7, 'the wallet', [...both]],
    [8, 'the reference', [...both, '--wallet', 'USD']],
    [9, 'the review', [...both, ...rest]],
  ])('at question %i: %s', async (at, _what, command) => {
    const ran = await creating([], [...whole.slice(0, at), undefined])
    expect(ran).toMatchObject({ exit: 130, stdout: '', sent: [] })
    expect(ran.stderr).toMatch(/Cancelled; nothing was sent\n$/)
    expect(wordsOf(ran.command)).toEqual(command)
  })

  test.each<[string, Answers]>([
    ['by its own choice', ['Esc']],
    ['at its last question', ['e', undefined]],
    ['on the way back', ['e', '<', undefined]],
  ])('from the review, %s', async (_what, answers) => {
    expect(await creating(rest, [...game, false, ...answers])).toMatchObject({ exit: 130, sent: [] })
  })

  test('once it is created, it is named', async () => {
    const ran = await creating([], [...whole, undefined])
    expect(ran).toMatchObject({ exit: 130, calls: 'create' })
    expect(ran.stderr).toMatch(
      /Interrupted; the order (sbx_\w+) was created, and is not\sconfirmed\n[\s\S]*orderctl confirm \1/,
    )
  })

  test('by SIGTERM, its exit code', async () => {
    const interrupted = new AbortController()
    const end = () => {
      interrupted.abort('SIGTERM')
      return undefined
    }
    expect(await creating([], [end], { interrupted: interrupted.signal })).toMatchObject({
      exit: 143,
      sent: [],
    })
  })
})
