// Formats a number of things.

/** '1 card', '2 cards'. */
export const describeCount = (count: number, noun: string, plural = `${noun}s`): string =>
  `${count} ${count === 1 ? noun : plural}`
