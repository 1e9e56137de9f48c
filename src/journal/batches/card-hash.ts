// Hashes a code with the key of its batch, so that the journal can recognise a code without storing it.
import { createHmac } from 'node:crypto'
import type { Card } from '../../contract/redeem-cards.ts'

/** A link may change with each answer, so it counts only if the card has nothing else. */
const identify = ({ code, pin, serial, link }: Card): readonly (string | null)[] =>
  (code ?? pin ?? serial) === undefined ? [link ?? null] : [code ?? null, pin ?? null, serial ?? null]

export const hashCard = (cardKey: string, card: Card): string =>
  createHmac('sha256', cardKey)
    .update(JSON.stringify([card.sku, ...identify(card)]))
    .digest('base64url')
