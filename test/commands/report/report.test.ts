// report leaves out the sandbox if real orders were charged. report.session has the others.
import { expect, test } from 'vitest'
import { openWorld } from '../../support/world.ts'
import { fillJournal } from './charged-journal.ts'

test('the sandbox counts only if nothing else was ordered, or if it is named', async () => {
  const mixed = await openWorld()
  await mixed.must('create', '--product', 'GAME-US:25', '--wallet', 'USD', '--confirm', '-q')
  const charged = async (...words: string[]) =>
    JSON.parse(await mixed.must('report', '--json', '--by', 'profile', ...words)).rows.map(
      ({ key }: { key: string }) => key,
    )
  expect(await charged()).toEqual(['sandbox'])
  // Not today, because the order is placed at noon.
  const yesterday = new Date(Date.now() - 24 * 60 * 60 * 1000).toISOString().slice(0, 10)
  await fillJournal(mixed.home, [{ on: yesterday, total: '5' }])
  expect(await charged('--since', yesterday)).toEqual(['shop'])
  expect(await charged('--profile', 'sandbox')).toEqual(['sandbox'])
})
