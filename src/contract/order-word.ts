// An order id in a line that a person may paste into a shell: the service may name its orders as it likes.

export const orderWord = (orderId: string): string =>
  /^\w[\w.:-]*$/.test(orderId) ? orderId : `'${orderId.replaceAll("'", `'\\''`)}'`
