// The proof that a confirm with an uncertain outcome spent nothing. A pure rule over times of the service.

/** A request that is under way when the order expires has been answered by then. */
const settlingMs = 60_000

/** The two answers that prove it are at least this far apart. */
const apartMs = 60_000

type Sighting = {
  /** When a `get` showed the order unconfirmed. */
  readonly serviceTime: number
  readonly expiresAt: number
  /** The first such sighting that counts, if there was one. */
  readonly unconfirmedAt: number | undefined
}

export type Judgement =
  | { readonly kind: 'proven' }
  /** The earliest time at which a further `get` can prove it. */
  | { readonly kind: 'too-early'; readonly provenAt: number }
  /** This sighting is the first of the two. */
  | { readonly kind: 'first'; readonly provenAt: number }

export const judgeUnconfirmed = ({ serviceTime, expiresAt, unconfirmedAt }: Sighting): Judgement => {
  if (serviceTime <= expiresAt + settlingMs) return { kind: 'too-early', provenAt: earliestProof(expiresAt) }
  if (unconfirmedAt === undefined || unconfirmedAt > serviceTime) {
    return { kind: 'first', provenAt: serviceTime + apartMs }
  }
  if (serviceTime - unconfirmedAt < apartMs) return { kind: 'too-early', provenAt: unconfirmedAt + apartMs }
  return { kind: 'proven' }
}

/** From then on ordering anew is safe, if the proof is found. */
export const earliestProof = (expiresAt: number): number => expiresAt + settlingMs + apartMs
