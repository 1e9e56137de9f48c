// Formats a number of things.

/** '1 card', '2 cards'. */
export const describeCount = (count: number, noun: string): string =>
  `${count} ${noun}${count === 1 ? '' : 's'}`
