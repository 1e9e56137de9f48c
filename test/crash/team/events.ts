// What happens to the processes and the journal of a team: kills, stops, restarts and lost connections.
import type { Team, TeamRun } from './world.ts'

type Random = () => number

const pick = <Item>(random: Random, items: readonly Item[]): Item =>
  items[Math.floor(random() * items.length)] as Item

const kill = ({ pid }: TeamRun): void => {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has just ended.
  }
}

const pickRun = ({ running }: Team, random: Random): TeamRun | undefined => {
  const all = [...running]
  // A batch runs long, so that most moments of its process are within a purchase.
  const batches = all.filter(({ words }) => words[0] === 'batch')
  return pick(random, random() < 0.6 && batches.length > 0 ? batches : all)
}

/** The process continues after others have taken its slots, if it is a worker of a batch. */
const stopPastLease = async (team: Team, random: Random, stopMs: number | undefined): Promise<void> => {
  const { service } = team
  const chosen = pickRun(team, random)
  if (chosen === undefined) return
  try {
    process.kill(chosen.pid, 'SIGSTOP')
  } catch {
    return
  }
  try {
    if (stopMs === undefined) await team.releaseOrders()
    const sent = service.countSent()
    await service.wait(() => stopMs === undefined && service.countSent() >= sent + 12, stopMs ?? 2_500)
  } finally {
    if (team.running.has(chosen)) process.kill(chosen.pid, 'SIGCONT')
  }
}

const statements = [
  'COMMIT',
  'BEGIN',
  'INSERT INTO calls',
  'INSERT INTO orders',
  'UPDATE calls',
  'UPDATE orders',
  'UPDATE batch_cards',
  'SELECT',
]

export type Event = { readonly name: string; readonly happen: (team: Team) => Promise<void> }

/** `stopMs`: longer than a run holds an order. Undefined: all orders are released in the journal. */
export const chooseEvent = (random: Random, stopMs?: number): Event => {
  const at = pick(random, statements)
  const forwards = random() < 0.5
  const nth = 1 + Math.floor(random() * 4)
  const later = 0.2 + random()
  const choices: readonly (readonly [weight: number, name: string, happen: Event['happen']])[] = [
    [
      5,
      'SIGKILL',
      async (team) => {
        const chosen = pickRun(team, random)
        if (chosen !== undefined) kill(chosen)
      },
    ],
    [
      3,
      `a cut ${forwards ? 'after' : 'at'} ${at} ${nth}`,
      async ({ proxy, service }) => {
        let isCut = false
        void proxy.cutAt(at, { forwards, nth }).then(() => {
          isCut = true
        })
        await service.wait(() => isCut, 500)
      },
    ],
    [2, 'SIGSTOP', (team) => stopPastLease(team, random, stopMs)],
    [1, 'a cut of all', async ({ proxy }) => proxy.cut()],
    [
      1,
      'a fast restart',
      async ({ server }) => {
        await server.stop('fast')
        await server.start()
      },
    ],
    [
      1,
      'an immediate restart',
      async ({ server }) => {
        await server.stop('immediate')
        await server.start()
      },
    ],
    [
      1,
      'a journal that is down',
      async ({ proxy, service }) => {
        proxy.refuse(true)
        proxy.cut()
        await service.wait(() => false, later * 1_000)
        proxy.refuse(false)
      },
    ],
  ]
  let left = random() * choices.reduce((sum, [weight]) => sum + weight, 0)
  for (const [weight, name, happen] of choices) {
    left -= weight
    if (left < 0) return { name, happen }
  }
  throw new Error('no event was chosen')
}
