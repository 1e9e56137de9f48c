// Defects that are planted into the source when it is loaded. The model must find each of them.
import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'

type Edit = {
  /** Below src/. */
  readonly file: string
  /** This text must occur once. `becomes` replaces it. */
  readonly text: string
  readonly becomes: string
}

export type Defect = Edit & {
  readonly name: string
  /** For defects in code that is guarded more than once. */
  readonly also?: readonly Edit[]
  /** A part of the failure that the model reports. */
  readonly found: string
}

export const defects: readonly Defect[] = [
  {
    name: 'a confirm is sent although the journal knows that the order is confirmed',
    file: 'journal/orders/calls.ts',
    text: "if (confirmed !== undefined) return { kind: 'confirmed', state: confirmed.state }",
    becomes: '',
    also: [
      {
        file: 'operations/confirm.ts',
        text: "all.length === 1 && only?.standing === 'confirmed'",
        becomes: 'false',
      },
      {
        file: 'operations/confirm.ts',
        text: "if (entry.standing === 'confirmed') throw createConfirmedFailure(orderId, entry.state)",
        becomes: '',
      },
    ],
    found: 'a confirm was sent again',
  },
  {
    name: 'a 419 is believed without asking for the order',
    file: 'operations/confirm.ts',
    text: 'const response = await requestUnrecorded(session, orderId, signal)\n',
    becomes: `if (isRefusal) return { kind: 'unconfirmed', response: undefined as never }
    const response = await requestUnrecorded(session, orderId, signal)\n`,
    found: 'says that the order is not confirmed',
  },
  {
    name: 'one get after the expiry releases a reference',
    file: 'journal/orders/standings.ts',
    text: "return 'first'",
    becomes: "return 'proven'",
    found: 'bought twice',
  },
  {
    name: 'any word of the service counts as unconfirmed in a proof',
    file: 'journal/orders/standings.ts',
    text: 'every(({ serviceState = pendingState }) => serviceState === state)',
    becomes: 'every(() => true)',
    found: 'bought twice',
  },
  {
    name: 'a word of the service is read as a standing',
    file: 'journal/orders/apply.ts',
    text: 'return fact.isPaid ? pay(order, fact, now, entry) : { entry }',
    becomes: `if (/^(expired|refused|lost|not-sent)$/i.test(fact.state))
      return { entry: { ...entry, confirmedAt: undefined, voidReason: 'expired' }, calls: settle(order, isUnproven, { settled: 'expired', at: fact.at }) }
    return fact.isPaid ? pay(order, fact, now, entry) : { entry }`,
    found: 'bought twice',
  },
  {
    name: 'a call is not noted before it is sent',
    file: 'journal/file-journal.ts',
    text: 'await note?.(start)',
    becomes: 'await (undefined as typeof note)?.(start)',
    found: 'bought again after a restored backup',
  },
  {
    name: 'a run does not wait for the confirm of another run',
    file: 'operations/purchase-step.ts',
    text: 'isOpen(call) && wasStarted(call, at) && at < findEnd(call)',
    becomes: 'false',
    found: 'does not wait for the run that confirms the order',
  },
  {
    name: 'a response that is behind decides what a watch says',
    file: 'operations/view.ts',
    text: "const money = isConfirmed ? 'spent' : findMoney(known, shown)",
    becomes: 'const money = findMoney(known, shown)',
    // No row of the table fits.
    found: 'never happens here',
  },
  {
    name: 'an order whose confirm may have spent is called unspent',
    file: 'operations/view.ts',
    text: "if (!isUnproven) return 'unspent'",
    becomes: "return 'unspent'",
    found: 'never happens here',
  },
  {
    name: 'an assumed expiry proves that nothing was spent',
    file: 'journal/orders/standings.ts',
    text: 'const longestValidityMs = dayMs',
    becomes: 'const longestValidityMs = assumedValidityMs',
    found: 'said that nothing is spent',
  },
  {
    name: 'a bare link counts as payment',
    file: 'operations/view.ts',
    text: 'known.entry.confirms > 0 && hasCodes(order) && !showsUnconfirmed(order, known))',
    becomes: 'findCards(order.redeem).length > 0)',
    found: 'but it is not',
  },
  {
    name: 'a stranger counts as the order',
    file: 'operations/view.ts',
    text: '  (entry.reference === undefined && entry.referenceFold === undefined) || hasReference(entry, reference)',
    becomes: '  true || hasReference(entry, reference)',
    found: 'but it is not',
  },
  {
    name: 'a repeated response to create is confirmed',
    file: 'operations/confirm.ts',
    text: 'if (!isSameOrder(before, order)) throw createMistakenFailure(before, isNew)',
    becomes:
      'if (isNew) return { order, offer: offerFrom(order, undefined), differences: [], placedWith: undefined, view: viewOrder(known, response, { ...times, wants: "confirmed" }) }',
    found: 'confirmed another order',
  },
  {
    name: '@last is ordered again past a newer attempt',
    file: 'commands/create/again.ts',
    text: '{ profile: options.profile, isReviewed })',
    becomes: '{ profile: options.profile, isReviewed: true })',
    found: 'not the last',
  },
  {
    name: 'a clock that was set back counts as time that passed',
    file: 'journal/orders/standings.ts',
    text: 'return now < placedAt ? first + Math.max(validMs, apartMs)',
    becomes: 'return now < placedAt ? first + apartMs',
    found: 'bought twice',
  },
  {
    name: 'an old response counts in a proof',
    file: 'journal/orders/apply.ts',
    text: '&& !isOld &&',
    becomes: '&&',
    found: 'bought twice',
  },
  {
    name: 'a forgotten order is waited for without an end',
    file: 'operations/view.ts',
    text: "'progress', 'short', 'unknown',     'unknown',     'unknown',     'none'",
    becomes: "'progress', 'open', 'unknown', 'unknown', 'unknown', 'none'",
    found: 'never ends',
  },
  {
    name: 'a response that is older than the known result counts as current',
    file: 'operations/view.ts',
    text: 'isOlder(order.state, known?.entry.result)',
    becomes: 'false',
    also: [
      {
        file: 'operations/view.ts',
        text: 'Math.max(each.received, seen.get(each.sku) ?? 0)',
        becomes: 'each.received',
      },
    ],
    found: 'bought twice',
  },
]

const sourceOf = (edits: readonly Edit[], url: string): string =>
  edits.reduce(
    (source, { file, text, becomes }) => {
      if (source.split(text).length !== 2) throw new Error(`${file} does not have this text once: ${text}`)
      return source.replace(text, () => becomes)
    },
    readFileSync(fileURLToPath(url), 'utf8'),
  )

/** The source of each file with the defect, by URL. Throws if a text of the defect does not occur once. */
export const readPlanted = (defect: Defect): ReadonlyMap<string, string> => {
  const planted = Map.groupBy(
    [defect, ...(defect.also ?? [])],
    ({ file }) => new URL(`../../src/${file}`, import.meta.url).href,
  )
  return new Map([...planted].map(([url, edits]) => [url, sourceOf(edits, url)]))
}

/** Must run before the files are loaded. */
export const plant = (defect: Defect): void => {
  const sources = readPlanted(defect)
  registerHooks({
    load: (url, context, load) => {
      const source = sources.get(url)
      return source === undefined
        ? load(url, context)
        : { format: 'module-typescript', source, shortCircuit: true }
    },
  })
}
