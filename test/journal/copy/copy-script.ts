// The steps of a script (../script.ts) for copies. `there` and `middle` run a step on two journals in files. All other
// steps run on the target. `copy` copies from there, and `copy middle there` between these journals.
import { describe, expect, test } from 'vitest'
import { copyJournal } from '../../../src/journal/copy/copy-journal.ts'
import { recordUnconfirmed } from '../../../src/journal/orders/observations.ts'
import { findOrderById } from '../../../src/journal/orders/queries.ts'
import { recordReveals } from '../../../src/journal/orders/reveals.ts'
import { readScripts, runScript, runStep, type Verbs } from '../../support/steps.ts'
import { createBatchVerbs } from '../batches/batch-script.ts'
import { journalKinds, type SharedJournal } from '../journals.ts'
import { openFor } from '../open.ts'
import { owner } from '../order-desk.ts'

const describeEach = (each: unknown): string =>
  typeof each === 'string'
    ? each
    : Object.values(each as object)
        .flat()
        .filter(Boolean)
        .join(' ')

/** What the copy changed and what it reports, without zeros and empty lists. */
const describeCopy = ({ limits, ...counts }: Awaited<ReturnType<typeof copyJournal>>): string =>
  Object.entries({ ...counts, ...limits })
    .filter(([, value]) => (Array.isArray(value) ? value.length : value) !== 0)
    .map(([name, value]) => `${name} ${Array.isArray(value) ? value.map(describeEach).join(' & ') : value}`)
    .join(', ')

const createCopyVerbs = (journals: Readonly<Record<string, SharedJournal>>): Verbs => {
  const verbsOf = Object.fromEntries(
    Object.entries(journals).map(([place, shared]): [string, Verbs] => {
      const { journal } = shared
      const more: Verbs = {
        reveal: ({ words: [orderId = ''], fields: { origin = owner.origin } }) => {
          const reveal = { profile: owner.profile, origin, orderId, skus: ['A'], at: 1 }
          return recordReveals(journal, [{ ...reveal, who: 'ana', how: 'copy' }])
        },
        /** The service showed the order as unconfirmed after its expiry. */
        unconfirmed: async ({ words: [orderId = ''] }) => {
          const entry = await findOrderById(journal.read, owner, orderId)
          if (entry !== undefined) await recordUnconfirmed(journal, entry, 2_500, 2_500)
        },
      }
      return [place, { ...createBatchVerbs(shared), ...more }]
    }),
  )
  const runOn =
    (place: string): Verbs[string] =>
    async ({ text }) => {
      const result = await runStep(verbsOf[place] as Verbs, text)
      return result.split(' → ')[1]
    }
  return {
    ...verbsOf.here,
    there: runOn('there'),
    middle: runOn('middle'),
    copy: async ({ words: [from = 'there', to = 'here'] }) =>
      describeCopy(await copyJournal(journals[from]?.address ?? '', (journals[to] as SharedJournal).journal)),
  }
}

/** In a file, written by ana. */
export const openFile = async (): Promise<SharedJournal> => {
  const shared = await openFor()
  return { ...shared, journal: await shared.openOther(() => ({ osUser: 'ana', host: 'laptop' })) }
}

export const testCopies = (texts: string): void => {
  describe.each(journalKinds)('into $name', (kind) => {
    test.each(readScripts(texts))('%s', async (_title, text) => {
      const here = await openFor(kind)
      const journals = { here, there: await openFile(), middle: await openFile() }
      expect(await runScript(createCopyVerbs(journals), text)).toBe(text)
    })
  })
}
