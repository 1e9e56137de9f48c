// A priority queue of items by the time when they are due: a binary heap, because a batch has thousands of open orders.

export type DueQueue<Item> = {
  readonly add: (at: number, item: Item) => void
  /** When the earliest item is due. Undefined if the queue is empty. */
  readonly nextAt: () => number | undefined
  /** Removes and returns the earliest item if it is due. */
  readonly takeDue: (now: number) => Item | undefined
  /** Makes an item due earlier. Does nothing if it is not in the queue. */
  readonly advance: (item: Item, at: number) => void
}

type Entry<Item> = { readonly at: number; readonly item: Item }

export const createDueQueue = <Item>(): DueQueue<Item> => {
  const heap: Entry<Item>[] = []
  const timeAt = (index: number): number => heap[index]?.at ?? Number.POSITIVE_INFINITY
  const swap = (a: number, b: number): void => {
    const [first, second] = [heap[a], heap[b]]
    if (first === undefined || second === undefined) return
    heap[a] = second
    heap[b] = first
  }
  const moveUp = (start: number): void => {
    for (let index = start; index > 0; ) {
      const parent = Math.floor((index - 1) / 2)
      if (timeAt(parent) <= timeAt(index)) return
      swap(index, parent)
      index = parent
    }
  }
  const moveDown = (): void => {
    for (let index = 0; ; ) {
      const left = 2 * index + 1
      const child = timeAt(left + 1) < timeAt(left) ? left + 1 : left
      if (timeAt(index) <= timeAt(child)) return
      swap(index, child)
      index = child
    }
  }
  return {
    add: (at, item) => {
      heap.push({ at, item })
      moveUp(heap.length - 1)
    },
    nextAt: () => heap[0]?.at,
    takeDue: (now) => {
      if (timeAt(0) > now) return undefined
      const first = heap[0]
      const last = heap.pop()
      if (heap.length > 0 && last !== undefined) {
        heap[0] = last
        moveDown()
      }
      return first?.item
    },
    advance: (item, at) => {
      const index = heap.findIndex((entry) => entry.item === item)
      if (index === -1 || timeAt(index) <= at) return
      heap[index] = { at, item }
      moveUp(index)
    },
  }
}
