// What orderctl says about an order: every combination of the journal's entry and the service's response. Read the
// table row by row after a change.
import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { stateNames } from '../../src/contract/states.ts'
import { createWaitFailure } from '../../src/operations/failures.ts'
import { viewOrder } from '../../src/operations/view.ts'
import { knownOf, respond, writeViewTable } from './view-table.ts'

const head = `# What viewOrder says, by what the journal has of the order (a section, or several) and the response (the end of a row).
# MONEY, PROGRESS, READING, WAIT, EXIT CODES (for a command that shows the order, needs it confirmed, needs it final), NEXT STEP

`

test('each combination has its row', async () => {
  await expect(`${head}${writeViewTable()}`).toMatchFileSnapshot('view-table.txt')
})

test('an order that the journal has given up is not called undocumented', () => {
  const known = knownOf('void', { voidReason: 'unwanted' })
  const failureOf = (state: string, codes: string) => {
    const response = respond(state, { codes, when: 'valid', date: 'without Date' })
    if (response === undefined) throw new Error('no response')
    const times = { now: known.entry.placedAt, serviceNow: undefined }
    const view = viewOrder(known, response, { ...times, wants: 'final' })
    return createWaitFailure({ known, cards: undefined, response, view }, 'ord_1')
  }
  const givenUp = 'the order ord_1 is void in this journal, so it will not be confirmed'
  expect(failureOf('created', 'no cards')).toMatchObject({ kind: 'unavailable', message: givenUp })
  // It has codes, so it may be paid.
  expect(failureOf('on_hold', 'codes')).toMatchObject({
    ...{ kind: 'unknown', details: { advice: 'Do not order again.' } },
    message: 'the order ord_1 is in an undocumented state, which does not change',
  })
})

/** Only these judge the service's word. */
const judges = ['src/operations/view.ts', 'src/journal/orders/standings.ts']

test('no other file compares a state with a word', () => {
  const files = globSync('src/{batch,commands,ui,journal,operations}/**/*.ts').filter(
    (file) => !judges.includes(file),
  )
  const words =
    'states|pendingState|confirmedState|isKnownState|isFinal|isPastPending|hasReached|hasRedeemData'
  const compares = new RegExp(
    `state ?[!=]== ?'(${stateNames.join('|')})'|\\{[^}]*\\b(${words})\\b[^}]*\\} from '[^']*contract/states\\.ts'`,
    'i',
  )
  expect(files.length).toBeGreaterThan(100)
  expect(files.filter((file) => compares.test(readFileSync(file, 'utf8')))).toEqual([])
})
