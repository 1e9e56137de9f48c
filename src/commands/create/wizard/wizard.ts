// Asks for what is missing of an order, and shows the whole before it is placed. It ends in what flags say.
import { limits } from '../../../contract/limits.ts'
import { type Ask, back } from '../../../ui/prompts/asking.ts'
import { safeText } from '../../../ui/terminal/safe-text.ts'
import type { View } from '../../../ui/terminal/view.ts'
import { problemOf, roomBeside } from './checks.ts'
import { type Draft, type KnownProduct, type Product, productSteps } from './product.ts'
import { type Order, reviewText } from './review.ts'
import { choicesOrBack, listOrBack, orBack, type Step, taken, type Way, type Went, walk } from './steps.ts'

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

export type Wizard = {
  /** As far as it is known. */
  readonly order: Readonly<Order>
  /** Each question that is not answered yet, or the last alone; whether it is to be placed. */
  questions(from: 'first' | 'last'): Promise<boolean>
}

export const createWizard = (given: Given, known: Known, { ask, say, view, placing }: Room): Wizard => {
  const order: Order = {
    products: given.products ?? [],
    wallet: given.wallet,
    reference: given.reference ?? known.reference,
  }
  /** One more, or another in the place of one. */
  const askProduct = async (at: number, way: Way): Promise<Went> => {
    const draft: Draft = { ...order.products[at] }
    const others = order.products.toSpliced(at, 1)
    const went = await walk(productSteps(draft, others, known.products, ask), way)
    if (went === 'on') order.products = order.products.toSpliced(at, 1, draft as Product)
    return went
  }
  /** A further product was asked for, and is not there yet. */
  let wantsMore = false
  const askAnother = async (at: number): Promise<Went> => {
    const question = {
      message: 'Another product?',
      initial: at + 1 < order.products.length ? 'yes' : 'no',
      check: (text: string) => (/^(y(es)?|no?)$/i.test(text) ? undefined : 'allowed: yes or no'),
    }
    return taken(await ask.line(orBack(question)), (text) => {
      wantsMore = /^y/i.test(text)
      if (!wantsMore) order.products = order.products.slice(0, at + 1)
    })
  }
  const placesOfProducts = Array.from({ length: limits.skusPerOrder }, (_, at) => at)
  const isThere = (at: number): boolean => at < order.products.length
  const productsSteps: readonly Step[] = placesOfProducts.flatMap((at) => [
    {
      isNeeded: () => isThere(at) || (at === order.products.length && (at === 0 || wantsMore)),
      ask: async (way) => {
        const went = await askProduct(at, way)
        if (went === 'on') wantsMore = false
        return went
      },
    },
    {
      isNeeded: () => isThere(at) && (isThere(at + 1) || roomBeside(order.products) > 0),
      ask: () => askAnother(at),
    },
  ])
  const askWallet = async (way: Way): Promise<Went> => {
    const question = {
      message: 'Wallet to pay from',
      initial: order.wallet,
      choices: known.wallets.map((value) => ({ value, name: value })),
      check: (text: string) => problemOf('wallet', text),
    }
    return taken(await ask.search(listOrBack(question, way)), (text) => {
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

  const fromReview: Way = { came: 'on', hasBefore: true }
  const askWhich = async (message: string): Promise<number | 'back' | 'left'> => {
    const choices = order.products.map(({ sku }, value) => ({ value, name: safeText(sku) }))
    const at = await ask.choose(message, choicesOrBack(choices))
    return at === undefined ? 'left' : at === back ? 'back' : at
  }
  const edit = async (): Promise<Went> => {
    const at = order.products.length === 1 ? 0 : await askWhich('Change which product?')
    return typeof at === 'number' ? askProduct(at, fromReview) : at
  }
  const remove = async (): Promise<Went> => {
    const at = await askWhich('Remove which product?')
    if (typeof at !== 'number') return at
    order.products = order.products.toSpliced(at, 1)
    return 'on'
  }
  const review = async (): Promise<Went> => {
    for (;;) {
      say(reviewText(order, view()))
      const hasRoom = roomBeside(order.products) > 0
      const chosen = await ask.choose(
        'And now?',
        choicesOrBack<'place' | (() => Promise<Went>)>([
          { value: 'place', name: placing },
          ...(hasRoom
            ? [{ value: () => askProduct(order.products.length, fromReview), name: 'add a product' }]
            : []),
          { value: edit, name: 'change a product' },
          ...(order.products.length > 1 ? [{ value: remove, name: 'remove a product' }] : []),
          { value: () => askWallet(fromReview), name: 'another wallet' },
          { value: askReference, name: 'another reference' },
          { value: async () => 'left', name: 'leave, and send nothing' },
        ]),
      )
      if (chosen === 'place') return 'on'
      if (chosen === back) return 'back'
      if (chosen === undefined || (await chosen()) === 'left') return 'left'
    }
  }

  const steps: readonly Step[] = [
    ...(given.products === undefined ? productsSteps : []),
    { isNeeded: () => given.wallet === undefined, ask: askWallet },
    {
      // Made up where nobody gives it, so it is not missing.
      isNeeded: () => given.products === undefined && given.reference === undefined,
      ask: askReference,
    },
    { ask: review },
  ]
  return {
    order,
    questions: async (from) => {
      let went = await walk(steps, { came: from === 'first' ? 'on' : 'back', hasBefore: false })
      while (went === 'back') {
        say('This is the first question; Ctrl-C leaves.\n')
        went = await walk(steps, { came: 'on', hasBefore: false })
      }
      return went === 'on'
    },
  }
}
