// Asks for what is missing of an order, and shows the whole before it is placed. It ends in what flags say.
import type { Ask, Choice } from './asking.ts'
import { safeText } from './safe-text.ts'
import type { View } from './view.ts'
import { problemOf, roomBeside } from './wizard-checks.ts'
import { type Draft, type KnownProduct, type Product, productSteps } from './wizard-product.ts'
import { type Order, reviewText } from './wizard-review.ts'
import { orBack, taken, type Went, walk } from './wizard-steps.ts'

/** Undefined: to be asked. */
export type Given = {
  readonly products: readonly Product[] | undefined
  readonly wallet: string | undefined
  readonly reference: string | undefined
}

export type Known = {
  readonly products: readonly KnownProduct[]
  /** The likeliest first. */
  readonly wallets: readonly string[]
  /** One that nobody has. */
  readonly reference: string
}

type Room = {
  readonly ask: Ask
  say(text: string): void
  view(): View
  /** What placing it does. */
  readonly placing: string
}

/** The order as far as it is known, and whether it is to be placed. */
export const wizard = async (
  given: Given,
  known: Known,
  { ask, say, view, placing }: Room,
): Promise<{ readonly isPlaced: boolean; readonly order: Order }> => {
  const order: Order = {
    products: given.products ?? [],
    wallet: given.wallet,
    reference: given.reference ?? known.reference,
  }
  /** One more, or another in the place of one. */
  const askProduct = async (at = order.products.length): Promise<Went> => {
    const draft: Draft = { ...order.products[at] }
    const others = order.products.toSpliced(at, 1)
    const went = await walk(productSteps(draft, others, known.products, ask))
    if (went === 'on') order.products = order.products.toSpliced(at, 1, draft as Product)
    return went
  }
  const askProducts = async (): Promise<Went> => {
    for (;;) {
      if (order.products.length > 0) {
        const another = roomBeside(order.products) > 0 && (await ask.yesOrNo('Another product?'))
        if (another === undefined) return 'left'
        if (!another) return 'on'
      }
      const went = await askProduct()
      if (went === 'left' || (went === 'back' && order.products.length === 0)) return went
    }
  }
  const askWallet = async (): Promise<Went> => {
    const question = {
      message: 'Wallet to pay from',
      initial: order.wallet,
      choices: known.wallets.map((value) => ({ value, name: value })),
      check: (text: string) => problemOf('wallet', text),
    }
    return taken(await ask.search(orBack(question)), (text) => {
      order.wallet = text
    })
  }
  const askReference = async (): Promise<Went> => {
    const question = {
      message: 'Your reference',
      initial: order.reference,
      check: (text: string) => problemOf('reference', text),
    }
    return taken(await ask.line(orBack(question)), (text) => {
      order.reference = text
    })
  }
  const askWhich = (message: string): Promise<number | undefined> =>
    ask.choose(
      message,
      order.products.map(({ sku }, value) => ({ value, name: safeText(sku) })),
    )
  const edit = async (): Promise<Went> => {
    const at = order.products.length === 1 ? 0 : await askWhich('Change which product?')
    return at === undefined ? 'left' : askProduct(at)
  }
  const remove = async (): Promise<Went> => {
    const at = await askWhich('Remove which product?')
    if (at === undefined) return 'left'
    order.products = order.products.toSpliced(at, 1)
    return 'on'
  }

  const steps = [
    { isNeeded: () => given.products === undefined, ask: askProducts },
    { isNeeded: () => given.wallet === undefined, ask: askWallet },
    {
      // Made up where nobody gives it, so it is not missing.
      isNeeded: () => given.products === undefined && given.reference === undefined,
      ask: askReference,
    },
  ]
  const review = async (): Promise<Went> => {
    for (;;) {
      say(reviewText(order, view()))
      const some = order.products.length > 1
      const choices: Choice<'place' | (() => Promise<Went>)>[] = [
        { value: 'place', name: placing },
        ...(roomBeside(order.products) > 0 ? [{ value: () => askProduct(), name: 'add a product' }] : []),
        { value: edit, name: 'change a product' },
        ...(some ? [{ value: remove, name: 'remove a product' }] : []),
        { value: askWallet, name: 'another wallet' },
        { value: askReference, name: 'another reference' },
        { value: async () => 'left', name: 'leave, and send nothing' },
      ]
      const chosen = await ask.choose('And now?', choices)
      if (chosen === 'place') return 'on'
      if (chosen === undefined || (await chosen()) === 'left') return 'left'
    }
  }
  let went = await walk(steps)
  while (went === 'back') {
    say('This is the first question; Ctrl-C leaves.\n')
    went = await walk(steps)
  }
  return { isPlaced: went === 'on' && (await review()) === 'on', order }
}
