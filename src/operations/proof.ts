// Decides whether a confirm with an unknown outcome is proven to have spent nothing. All times are the service's.

/** A request in progress when the order expires has its response after this time. */
const settlingMs = 60_000

/** The minimum distance between the two responses of a proof. */
const apartMs = 60_000

type Sighting = {
  /** When this `get` showed the order unconfirmed. */
  readonly serviceTime: number
  readonly expiresAt: number
  /** When an earlier `get` did so. */
  readonly unconfirmedAt: number | undefined
}

export type Judgement =
  | { readonly kind: 'proven' }
  /** `provenAt`: the earliest time at which another `get` can prove it. */
  | { readonly kind: 'too-early'; readonly provenAt: number }
  /** This response is the first of the two. */
  | { readonly kind: 'first'; readonly provenAt: number }

export const judgeUnconfirmed = ({ serviceTime, expiresAt, unconfirmedAt }: Sighting): Judgement => {
  if (serviceTime <= expiresAt + settlingMs)
    return { kind: 'too-early', provenAt: findEarliestProof(expiresAt) }
  if (unconfirmedAt === undefined || unconfirmedAt > serviceTime) {
    return { kind: 'first', provenAt: serviceTime + apartMs }
  }
  if (serviceTime - unconfirmedAt < apartMs) return { kind: 'too-early', provenAt: unconfirmedAt + apartMs }
  return { kind: 'proven' }
}

/** From then on, ordering again is safe if the proof succeeds. */
export const findEarliestProof = (expiresAt: number): number => expiresAt + settlingMs + apartMs
