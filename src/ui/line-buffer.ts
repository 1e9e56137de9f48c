// Many small lines written as few large ones: a write for each would cost a busy service a quarter of its time.
type Sink = { write(text: string): void }
type Sleeper = { sleep(ms: number): Promise<void> }

// Nobody who reads along sees the difference.
const holdMs = 20

export const lineBuffer = (sink: Sink, clock: Sleeper) => {
  let held = ''
  const flush = (): void => {
    const text = held
    held = ''
    if (text !== '') sink.write(text)
  }
  return {
    write: (line: string): void => {
      if (held === '') void clock.sleep(holdMs).then(flush)
      held += line
    },
    flush,
  }
}
