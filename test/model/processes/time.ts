// Simulated time: events happen in order, and only when all processes are waiting.

/** Of this machine: a timer of a process, or something that reaches one. The rest goes on while the machine sleeps. */
type Kind = 'timer' | 'delivery' | 'elsewhere'

type Due = { at: number; readonly kind: Kind; readonly work: () => unknown }

export type Time = ReturnType<typeof simulatedTime>

/** Turns of the event loop without any activity, after which every process is waiting. */
const stillTurns = 3
/** A process that is active for so many turns without waiting never ends. */
const maxTurns = 20_000

export const simulatedTime = () => {
  let now = 0
  let activity = 0
  const queue: Due[] = []

  const after = (ms: number, work: () => unknown, kind: Kind = 'elsewhere'): (() => void) => {
    const due: Due = { at: now + Math.max(0, ms), kind, work }
    queue.push(due)
    return () => {
      const place = queue.indexOf(due)
      if (place !== -1) queue.splice(place, 1)
    }
  }

  const settle = async (): Promise<void> => {
    let turns = 0
    for (let still = 0; still < stillTurns; still += 1) {
      const before = activity
      turns += 1
      if (turns > maxTurns) throw new Error('never waits')
      await new Promise((resolve) => setImmediate(resolve))
      if (before !== activity) still = -1
    }
  }

  /** The earliest; of several at one moment, the one that was planned first. */
  const next = (): Due | undefined => queue.toSorted((one, other) => one.at - other.at)[0]

  const fire = async (due: Due): Promise<void> => {
    queue.splice(queue.indexOf(due), 1)
    now = Math.max(now, due.at)
    await due.work()
    await settle()
  }

  const pass = async (ms: number): Promise<void> => {
    const end = now + ms
    await settle()
    for (let due = next(); due !== undefined && due.at <= end; due = next()) await fire(due)
    now = Math.max(now, end)
  }

  return {
    /** Milliseconds since the history began. */
    now: (): number => now,
    /** Plans work. The returned function cancels it. */
    after,
    /** A process did something: it may do more before it waits. */
    noteActivity: (): void => {
      activity += 1
    },
    /** Continues until the condition holds, until this time and for so many events at most. */
    until: async (
      isOver: () => boolean,
      { deadline, maxEvents }: { readonly deadline: number; readonly maxEvents: number },
    ): Promise<void> => {
      await settle()
      for (let events = 1; !isOver() && now <= deadline && events <= maxEvents; events += 1) {
        const due = next()
        if (due === undefined) return
        await fire(due)
      }
    },
    /** Continues for this time. Processes may run. */
    pass,
    /** The machine sleeps: its timers stand still, and it takes no delivery before it wakes. */
    sleep: async (ms: number): Promise<void> => {
      await settle()
      for (const due of queue) {
        if (due.kind === 'timer') due.at += ms
        if (due.kind === 'delivery') due.at = Math.max(due.at, now + ms)
      }
      await pass(ms)
    },
  }
}
