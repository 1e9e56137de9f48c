// Who has seen codes, and when.

import type { Reveal } from '../../journal/orders/seen-cards.ts'
import { findRevealer, type NamedActor, nameActor } from '../../text/words.ts'
import { formatClock, toInstant } from '../text/formats.ts'
import { chooseFields, column, listOf, type ResultFields, wordOf } from '../text/result-fields.ts'
import { actorFields } from './orders.ts'

export type ListedReveal = Pick<Reveal, 'at' | 'who' | 'how' | 'skus'> &
  Partial<Pick<Reveal, 'orderId' | 'profile' | 'origin'>> & { readonly by?: NamedActor | undefined }

/** In a shared journal, the role says more than a login name such as root. */
export const revealFields: ResultFields<ListedReveal> = [
  column('revealedAt', 'time', 'when the codes were shown', ({ at }) => at, {
    title: 'WHEN',
    cell: ({ at }, view) => (toInstant(at) === undefined ? '?' : formatClock(at, view)),
  }),
  column('by', actorFields, 'the person who saw them', findRevealer, {
    title: 'WHO',
    cell: (reveal) => nameActor(findRevealer(reveal)),
  }),
  [
    'how',
    wordOf('reveal', 'qr', 'export', 'copy', 'replay', 'find'),
    'how they were shown',
    ({ how }) => how,
    { title: 'HOW' },
  ],
  ['orderId', 'text', 'the order', ({ orderId }) => orderId, { title: 'ORDER' }],
  column('skus', listOf('text'), 'the products whose codes were shown', ({ skus }) => skus, {
    title: 'SKUS',
    cell: ({ skus }) => skus.join(', '),
    narrow: 'wrap',
  }),
  column('profile', 'text', 'the profile that was used', ({ profile }) => profile, {
    title: 'PROFILE',
    narrow: 'leave-out',
  }),
  ['origin', 'text', 'the base URL of the service', ({ origin }) => origin],
]

/** Of the reveals of one order. */
export const orderRevealFields = chooseFields(revealFields, 'revealedAt', 'by', 'how', 'skus')

/** An export of many orders is one row. */
export const joinExports = (reveals: readonly ListedReveal[]): ListedReveal[] => {
  const groups = Map.groupBy(reveals, ({ at, who, how, profile }) => [at, who, how, profile].join('\n'))
  return [...groups.values()].flatMap((all) => {
    const [first] = all
    if (first?.how !== 'export' || all.length === 1) return all
    return [
      { ...first, orderId: `${all.length} orders`, skus: [...new Set(all.flatMap(({ skus }) => skus))] },
    ]
  })
}
