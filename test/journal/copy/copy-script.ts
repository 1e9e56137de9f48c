// The steps of a script (../script.ts) for copies. `there` and `middle` run a step on two journals in files. All other
// steps run on the target in PostgreSQL. `copy` copies from there, and `copy middle` from the other file. `take` only
// takes the right to buy from the file, `return` gives it back, and `forget` does so although the target was copied to.
import { expect, test } from 'vitest'
import { Failure } from '../../../src/errors.ts'
import { type CopyResult, copyJournal, giveBack } from '../../../src/journal/copy/copy-journal.ts'
import { beginHandover, forgetHandovers, readHandovers } from '../../../src/journal/copy/handover.ts'
import { recordReveals } from '../../../src/journal/orders/seen-cards.ts'
import { isInFlight } from '../../../src/operations/purchase-step.ts'
import { readScripts, runScript, runStep, type Verbs } from '../../support/steps.ts'
import { createBatchVerbs } from '../batches/batch-script.ts'
import { findJournalKind, type SharedJournal } from '../journals.ts'
import { openFor } from '../open.ts'
import { owner } from '../order-desk.ts'

const describeEach = (each: unknown): string =>
  typeof each === 'string'
    ? each
    : Object.values(each as object)
        .flat()
        .filter(Boolean)
        .join(' ')

/** What the copy reports, without zeros and empty lists. */
const describeCopy = (result: CopyResult): string =>
  Object.entries(result)
    .filter(([, value]) => value !== false && (Array.isArray(value) ? value.length : value) !== 0)
    .map(([name, value]) => `${name} ${Array.isArray(value) ? value.map(describeEach).join(' & ') : value}`)
    .join(', ')

/** Some time after the deadlines of all calls. */
const later = 1_000_000

/** Takes the right to buy from the file. */
export const takeRight = async (source: SharedJournal, target: SharedJournal, at = later) => {
  const place = 'postgres://db/orders'
  return beginHandover(pairOf(source, target), { place, isInFlight: (call) => isInFlight(call, at) })
}

export const pairOf = ({ address, journal }: SharedJournal, target: SharedJournal) => ({
  ...{ file: address, source: journal, target: target.journal },
})

const createCopyVerbs = (journals: Readonly<Record<string, SharedJournal>>): Verbs => {
  const here = journals.here as SharedJournal
  const verbsOf = Object.fromEntries(
    Object.entries(journals).map(([place, shared]): [string, Verbs] => {
      const reveal: Verbs[string] = ({ words: [orderId = ''], fields: { origin = owner.origin } }) => {
        const reveal = { profile: owner.profile, origin, orderId, skus: ['A'], at: 1 }
        return recordReveals(shared.journal, [{ ...reveal, who: 'ana', how: 'copy' }])
      }
      return [place, { ...createBatchVerbs(shared), reveal }]
    }),
  )
  const runOn =
    (place: string): Verbs[string] =>
    async ({ text }) => {
      const result = await runStep(verbsOf[place] as Verbs, text)
      return result.split(' → ')[1]?.replaceAll(/\/\S+\.db/g, 'FILE')
    }
  const find = (place = 'there') => journals[place] as SharedJournal
  /** The reason of a refusal, and what it lists. */
  const tryTo = (work: Promise<string | undefined>) =>
    work.catch((error) => {
      if (!(error instanceof Failure)) throw error
      return [error.reason, ...(error.details.violations ?? [])].join(' ')
    })
  return {
    ...verbsOf.here,
    there: runOn('there'),
    middle: runOn('middle'),
    take: ({ words: [place], fields: { at } }) =>
      tryTo(takeRight(find(place), here, at === undefined ? later : Number(at)).then(() => undefined)),
    forget: async () =>
      forgetHandovers(find().journal, await readHandovers(find().journal.read), 'the server burned'),
    return: ({ words: [place] }) => giveBack(pairOf(find(place), here)).then(String),
    copy: ({ words: [place] }) =>
      tryTo(
        (async () => {
          await takeRight(find(place), here)
          return describeCopy(await copyJournal(pairOf(find(place), here)))
        })(),
      ),
  }
}

/** In a file, written by ana. */
export const openFile = async (): Promise<SharedJournal> => {
  const shared = await openFor()
  return { ...shared, journal: await shared.openOther(() => ({ osUser: 'ana', host: 'laptop' })) }
}

export const testCopies = (texts: string): void => {
  test.each(readScripts(texts))('%s', async (_title, text) => {
    const journals = {
      here: await openFor(findJournalKind('PostgreSQL')),
      ...{ there: await openFile(), middle: await openFile() },
    }
    expect(await runScript(createCopyVerbs(journals), text)).toBe(text)
  })
}
