// What to do about an order that may be paid, until that is proven. Without a command: typed too early, it proves nothing.

/** `provenAt`: from when a proof is possible, as text. */
export const writeProofAdvice = (provenAt: string | undefined): string =>
  provenAt === undefined
    ? 'Do not order again. Only a person who has checked the wallet can settle it, with reconcile and --settle.'
    : `Do not order again. From ${provenAt}, reconcile can check whether money was spent.`
