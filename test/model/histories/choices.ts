// Random choices from a seed.
import { createRandom } from '../../../src/service/cards.ts'
import type { Theme } from './themes.ts'

export const createChoices = (seed: string) => {
  const random = createRandom(seed)
  const below = (count: number): number => Math.floor(random() * count)
  return {
    below,
    happens: (probability: number): boolean => random() < probability,
    /** One more item, or none. */
    sometimes: <Item>(probability: number, make: () => Item): Item[] =>
      random() < probability ? [make()] : [],
    pick: <Item>(items: readonly Item[]): Item => items[below(items.length)] as Item,
    /** One of them, made by its own function, by its weight. */
    weigh: <Item>(...items: readonly (readonly [weight: number, make: () => Item])[]): Item => {
      let left = random() * items.reduce((sum, [weight]) => sum + weight, 0)
      for (const [weight, make] of items) {
        left -= weight
        if (left < 0) return make()
      }
      throw new Error('there is nothing to choose from')
    },
  }
}

/** With what the history is about. */
export type Choices = ReturnType<typeof createChoices> & { readonly theme: Theme }
