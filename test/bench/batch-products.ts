// What the benchmarks of a batch buy.

/** None of these products is limited in stock. */
export const products = ['GAME-US:25', 'MUSIC-US:9.99', 'GAME-DE:20', 'MUSIC-FR:10.99', 'FILM-AU:20']
/** In an order. */
export const cardsOfProduct = 5
export const cardsOfOrder = products.length * cardsOfProduct

export const listProductFlags = (orders: number): string[] =>
  products.map((product) => `--product=${product}x${orders * cardsOfProduct}`)
